#pragma once

#include "mpi/session.hpp"
#include "tutti/operation.hpp"

namespace tutti {

/// Compares what an operation left in host memory across ranks, where all are to have the same
/// bits: all_reduce, broadcast, all_gather. `call` is its number, for the message. Collective over
/// those.
/// @throws Error (mismatch) on every rank alike, with the ranks of each result.
void check_results(mpi::Session& session, const Operation& operation, std::uint64_t call,
                   Deadline deadline);

}  // namespace tutti
