#pragma once

#include <cstddef>
#include <cstdint>

#include "tutti/memory.hpp"

/// What small tables of operations that were seen before are made of: fields packed into words that
/// are compared, and a place found by them.
namespace tutti::operation_key {

template <class Value>
constexpr std::uint64_t wide(Value value) noexcept {
  return static_cast<std::uint64_t>(value);
}

/// In 13 bits.
inline std::uint64_t side(const MemoryView& view) noexcept {
  return wide(view.type) | wide(view.kind) << 8U | wide(view.given) << 12U;
}

/// One of 2^`bits` places: Fibonacci hashing (Knuth, The Art of Computer Programming, 6.4).
constexpr std::size_t place_of(std::uint64_t sum, unsigned bits) noexcept {
  constexpr std::uint64_t golden = 0x9e3779b97f4a7c15U;
  return sum * golden >> (64U - bits);
}

}  // namespace tutti::operation_key
