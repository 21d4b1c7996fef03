#pragma once

#include "mpi/schedule.hpp"
#include "mpi/session.hpp"
#include "tutti/operation.hpp"

namespace tutti::mpi {

/// Whether MPI's own reduction, with tutti's arithmetic, gives what the operation promises.
bool combines(const Operation& operation, const Session& session) noexcept;

/// The operations of innermost loops, where they are one call of MPI and nothing else: all_reduce,
/// broadcast and all_gather of equal blocks, of elements that MPI can count. Sets `step` and
/// returns true; no schedule is needed then, and it would take as long as a small operation itself.
bool one_call(const Operation& operation, const Session& session, Step& step);

}  // namespace tutti::mpi
