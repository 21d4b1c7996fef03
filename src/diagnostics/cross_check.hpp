#pragma once

#include <cstdint>
#include <optional>

#include "mpi/session.hpp"
#include "tutti/operation.hpp"

namespace tutti {

/// Compares what all ranks are about to do, before anything moves: one exchange of fingerprints.
/// `refusal` is why this rank would not do it, if so. @throws Error on every rank alike: that of the
/// lowest rank that refuses, or mismatch with a line for each way in which the ranks differ.
void cross_check(const mpi::Session& session, const Operation& operation, std::uint64_t sequence,
                 const std::optional<Error>& refusal, Deadline deadline);

/// Whether all ranks of the communicator take part in it.
bool is_collective(OperationKind kind) noexcept;

}  // namespace tutti
