#include <cmath>

#include "support/elements.hpp"
#include "support/formats.hpp"
#include "support/reference.hpp"

namespace tutti::test {
namespace {

std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

std::uint64_t random_bits(std::uint32_t seed, int rank, std::size_t i) {
  return mix(mix(mix(seed) + static_cast<std::uint64_t>(rank)) + i);
}

// Products of eight stay exact in float, within the range of float8_e4m3 and off its bottom; sums
// of eight have at most 22 bits, so that rounding happens once, on the way out.
double pattern_value(DataType type, ReduceOp::Kind kind, std::uint64_t bits) {
  constexpr double factors[] = {1, -1, 2, -0.5, 1.5, -1, 0.5, 1};
  if (kind == ReduceOp::Kind::prod) return factors[bits % 8];
  const double sign = (bits & 1) != 0 ? -1 : 1;
  switch (type) {
    case DataType::float8_e4m3:
      return sign * static_cast<double>(16 + bits / 2 % 16) / 8;
    case DataType::float8_e5m2:
      return sign * static_cast<double>(8 + bits / 2 % 8) / 4;
    case DataType::bfloat16:
      return sign * static_cast<double>(128 + bits / 2 % 1921 / 8 * 8) / 64;
    case DataType::float16:
      return sign * static_cast<double>(1024 + bits / 2 % 1024) / 256;
    default:
      return sign * static_cast<double>(bits / 2 % 4096) / 16;
  }
}

double complex_part(ReduceOp::Kind kind, std::uint64_t bits) {
  if (kind == ReduceOp::Kind::prod) return static_cast<double>(bits % 5) - 2;
  return (static_cast<double>(bits % 4096) - 2048) / 16;
}

}  // namespace

Bytes pattern(DataType type, ReduceOp::Kind kind, int rank, std::size_t count, std::uint32_t seed) {
  Bytes result = noise(type, rank, count, seed);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t bits = random_bits(seed, rank, i);
    std::byte* const to = result.data() + i * element_size(type);
    if (is_real(type)) store_real(type, pattern_value(type, kind, bits), to);
    if (is_complex(type))
      store_complex(type, {complex_part(kind, bits), complex_part(kind, bits >> 32)}, to);
  }
  return result;
}

Bytes noise(DataType type, int rank, std::size_t count, std::uint32_t seed) {
  Bytes result(count * element_size(type));
  for (std::size_t i = 0; i < result.size(); ++i) {
    const auto byte = static_cast<unsigned char>(random_bits(seed + 77, rank, i) & 0xff);
    result[i] = std::byte{type == DataType::boolean ? static_cast<unsigned char>(byte & 1) : byte};
  }
  return result;
}

bool equal_elements(DataType type, const std::byte* a, const std::byte* b) {
  if (std::memcmp(a, b, element_size(type)) == 0) return true;
  if (is_real(type)) return std::isnan(load_real(type, a)) && std::isnan(load_real(type, b));
  // The sign of a complex zero depends on the order of the factors.
  if (is_complex(type)) return load_complex(type, a) == load_complex(type, b);
  return false;
}

}  // namespace tutti::test
