#pragma once

#include <cstdint>
#include <string>

#include "tutti/operation.hpp"

namespace tutti::mpi::node {

/// What all ranks must have in common in one call, as one word that travels beside the data: kind,
/// type, reduction, root and the count modulo 2^35. Of uneven blocks that is their sum where all
/// ranks know it, else 0.
using Signature = std::uint64_t;

/// Of uneven blocks.
std::uint64_t known_sum(const Operation& op) noexcept;

inline Signature signature_of(const Operation& op) noexcept {
  const bool receives_equal = op.kind == OperationKind::broadcast ||
                              op.kind == OperationKind::reduce_scatter ||
                              op.kind == OperationKind::scatter;
  const MemoryView& counted = receives_equal ? op.receive : op.send;
  const std::uint64_t count = op.uneven ? known_sum(op) : counted.count;
  const auto bits = [](auto value, int shift) {
    return static_cast<std::uint64_t>(value) << shift;
  };
  return bits(op.kind, 0) | bits(counted.type, 4) | bits(op.op.kind(), 9) | bits(op.uneven, 13) |
         (bits(op.root, 14) & 0x1fffc000) | count << 29;
}

/// "all_reduce of 1024 float32, sum"
std::string describe(Signature signature);

}  // namespace tutti::mpi::node
