#pragma once

#include <mpi.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/abort_flag.hpp"
#include "tutti/backend.hpp"

namespace tutti::mpi {

/// Why not all ranks of a communicator came to something together.
struct Absence {
  std::vector<int> silent;  ///< ranks of which nothing was heard, where each one can be told
  std::optional<int> left;  ///< the lowest rank that gave up before this one came
};

/// How long a rank waits for the others, and what it does meanwhile.
struct Patience {
  Deadline deadline;
  const detail::AbortFlag& abort_flag;
  std::chrono::milliseconds told_after{0};  ///< the log tells once who is missing; 0: never
  std::function<void()> meanwhile = nullptr;
};

/// What all ranks must have come to before MPI is entered where nothing interrupts it. All of them
/// have, once this returns nothing; otherwise this rank gave up, at its deadline or because the
/// communicator was aborted, or is told that another one had: what it has in MPI's hands is among
/// the leftovers then. Collective: each rank makes the same calls whatever comes of it, so that a
/// communicator that is the application's can be used again, once the late ranks have come.
std::optional<Absence> await_all_ranks(MPI_Comm comm, const Patience& patience);

/// A line for each thing that can be said of ranks of `comm` that have not come.
std::string words_about_absent(MPI_Comm comm, const Absence& absence);

}  // namespace tutti::mpi
