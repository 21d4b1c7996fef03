#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "support/reference.hpp"
#include "tutti/reduce_op.hpp"

namespace tutti::fuzz {

/// Affine maps modulo 2^32, as (factor, offset) in the halves of a number, one after the other:
/// associative, and not commutative.
inline std::uint64_t compose(std::uint64_t left, std::uint64_t right) {
  const auto factor = [](std::uint64_t map) { return static_cast<std::uint32_t>(map >> 32); };
  const auto offset = [](std::uint64_t map) { return static_cast<std::uint32_t>(map); };
  const std::uint32_t both = factor(left) * factor(right);
  const std::uint32_t moved = factor(left) * offset(right) + offset(left);
  return std::uint64_t{both} << 32 | moved;
}

inline ReduceOp user_function() {
  static const UserReduction<std::uint64_t> reduction(compose);
  return reduction;
}

inline test::Bytes reduced_by_user(const std::vector<test::Bytes>& inputs) {
  test::Bytes result = inputs[0];
  for (std::size_t rank = 1; rank < inputs.size(); ++rank)
    for (std::size_t at = 0; at < result.size(); at += 8) {
      std::uint64_t left = 0, right = 0;
      std::memcpy(&left, &result[at], 8);
      std::memcpy(&right, &inputs[rank][at], 8);
      left = compose(left, right);
      std::memcpy(&result[at], &left, 8);
    }
  return result;
}

}  // namespace tutti::fuzz
