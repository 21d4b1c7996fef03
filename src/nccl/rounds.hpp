#pragma once

#include <vector>

#include "tutti/operation.hpp"

namespace tutti::nccl {

/// Whether so many operations surely fit into one of NCCL's groups, which take 2048 calls at most.
bool fit_one_round(std::size_t operations, int ranks) noexcept;

/// A large group as several that follow one another. Both ends of a message are in the same one,
/// whatever else the two ranks have in their groups, so that no round waits for a later one.
std::vector<std::vector<Operation>> rounds_of(OperationList operations, int ranks);

}  // namespace tutti::nccl
