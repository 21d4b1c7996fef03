#pragma once

#include <cstdint>

#include "mpi/session.hpp"
#include "tutti/operation.hpp"

namespace tutti {

/// Compares what all ranks are about to do, before anything moves: one exchange of fingerprints.
/// Messages between two ranks take no part. @throws Error (mismatch) on every rank alike, with a
/// line for each way in which the ranks differ.
void cross_check(const mpi::Session& session, const Operation& operation, std::uint64_t sequence,
                 Deadline deadline);

}  // namespace tutti
