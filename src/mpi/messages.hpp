#pragma once

#include <mpi.h>

#include <optional>

#include "mpi/schedule.hpp"
#include "mpi/session.hpp"
#include "tutti/error.hpp"
#include "tutti/operation.hpp"

/// Messages by MPI's blocking calls: for short ones MPI has quicker ways than requests, which are
/// most of their time.
namespace tutti::mpi {

/// The error of a message that is shorter than what `receive` expects.
std::optional<Error> mismatch_of(const Step& receive, const MPI_Status& status);

/// Sends and receives at the same time; one of the two may be null. Returns `mismatch_of` what
/// came.
std::optional<Error> exchange(const Step* send, const Step* receive, MPI_Comm comm);

/// Does a resolved send, recv or send_recv that is one call of MPI's; otherwise false, with nothing
/// done. @throws Error (mpi), (mismatch)
bool run_message(const Operation& operation, const Session& session);

}  // namespace tutti::mpi
