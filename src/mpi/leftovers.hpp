#pragma once

#include <mpi.h>

#include <chrono>
#include <memory>
#include <vector>

#include "mpi/status_board.hpp"

namespace tutti::mpi::leftovers {

/// Operations that were given up, at a deadline or by an abort. MPI cannot be told to forget them:
/// it goes on whenever a late rank comes, in memory that is kept here with them for ever.
void keep(std::vector<MPI_Request> requests, std::shared_ptr<void> memory) noexcept;
/// The board of a communicator of `size` ranks on which something was given up.
void keep(std::unique_ptr<StatusBoard> board, int size) noexcept;
/// An exchange on a board was given up: MPI has nothing of it that could be done in the end.
void keep_exchange() noexcept;
/// How long `settled` waits for late ranks, at least.
void wait_at_least(std::chrono::milliseconds patience) noexcept;

/// A process of this job has died. Even an MPI that lets the others go on, as Open MPI 5 with
/// `--with-ft ulfm`, may wait for it in MPI_Finalize.
void note_death() noexcept;
bool someone_died() noexcept;

/// Whether MPI can be finalised, which waits for all ranks: nothing was given up, or all of it was
/// done in the end, or every rank that was late has left the communicators concerned too; and
/// nobody died. Waits for that as long as was asked for.
bool settled() noexcept;

}  // namespace tutti::mpi::leftovers
