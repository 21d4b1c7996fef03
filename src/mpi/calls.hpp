#pragma once

#include "mpi/call.hpp"
#include "mpi/schedule.hpp"

namespace tutti::mpi {

/// Does a collective step by MPI's blocking call.
void call(const Step& step, const Schedule& schedule, MPI_Comm comm);

/// Begins a collective or a message by MPI's non-blocking call.
MPI_Request begin(const Step& step, const Schedule& schedule, MPI_Comm comm);

}  // namespace tutti::mpi
