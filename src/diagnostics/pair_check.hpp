#pragma once

#include "mpi/session.hpp"
#include "tutti/operation.hpp"

namespace tutti {

/// Compares the blocks of an uneven operation pair by pair: what each rank sends to each other one
/// with what that one expects. @throws Error (mismatch) on every rank alike, naming a pair.
void check_pairs(mpi::Session& session, const Operation& operation, Deadline deadline = {});

}  // namespace tutti
