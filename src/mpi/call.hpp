#pragma once

#include <mpi.h>

namespace tutti::mpi {

/// Throws Error (mpi) with MPI's own text unless `code` is MPI_SUCCESS; `call` is what was called.
void check(int code, const char* call);

/// Whether an error of MPI's means that a process of the job has died.
bool tells_of_a_death(int code) noexcept;

}  // namespace tutti::mpi

/// The one way in which tutti calls MPI: `TUTTI_MPI(MPI_Barrier(comm))`.
#define TUTTI_MPI(call) ::tutti::mpi::check((call), #call)
