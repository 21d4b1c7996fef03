#pragma once

namespace tutti::mpi {

class OperationTask;

/// The tasks of this process that still have something to do between their messages. MPI moves
/// what it has in hand whenever anybody calls it; these need us, so every wait advances them all:
/// a rank that waits for one operation must not hold up its peers in another.
namespace progress {

void enter(OperationTask& task);
void leave(OperationTask& task) noexcept;
/// No task needs advancing: MPI's blocking calls may be used.
bool idle() noexcept;
/// Advances each task that nobody else is advancing.
void advance_all() noexcept;

}  // namespace progress

}  // namespace tutti::mpi
