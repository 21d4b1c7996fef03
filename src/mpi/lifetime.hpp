#pragma once

namespace tutti::mpi {

/// @throws Error (mpi) unless MPI is initialised and not finalised, (broken) in a forked child.
/// Makes sure that this process hears of MPI_Finalize, which `finalized` then answers without a
/// call.
void require_running();

/// MPI_Finalize has been entered, MPI was never there, or this is a forked child: no MPI call may
/// be made. Cheap.
bool finalized() noexcept;

/// As if MPI_Finalize had been entered: for a process that ends without it.
void stop() noexcept;

/// Calls `function` when MPI_Finalize begins, while MPI still works. Must not throw.
void at_finalize(void (*function)());

}  // namespace tutti::mpi
