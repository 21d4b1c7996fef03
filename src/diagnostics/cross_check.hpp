#pragma once

#include <cstdint>
#include <optional>

#include "core/activity.hpp"
#include "mpi/session.hpp"
#include "tutti/operation.hpp"

namespace tutti {

/// When and how an operation is called; equal on all ranks like the operation itself.
struct Occasion {
  std::uint64_t sequence = 0;  ///< collective operations before this one
  std::size_t group = 1;       ///< collective operations in its group
  Verb verb = Verb::run;
};

/// Compares what all ranks are about to do, before anything moves: one exchange of fingerprints.
/// `refusal` is why this rank would not do it, if so. @throws Error on every rank alike: that of
/// the lowest rank that refuses, or mismatch with a line for each way in which the ranks differ.
void cross_check(mpi::Session& session, const Operation& operation, const Occasion& occasion,
                 const std::optional<Error>& refusal, Deadline deadline);

}  // namespace tutti
