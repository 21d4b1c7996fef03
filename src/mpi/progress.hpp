#pragma once

namespace tutti::mpi::progress {

/// Lets MPI move what it has in hand, for a rank that waits for something else.
void advance_all() noexcept;

}  // namespace tutti::mpi::progress
