#pragma once

#include <cstdint>

namespace fake {

/** A float of `ebits` exponent and `mbits` mantissa bits, as NCCL's small types are. */
struct SmallFormat {
  int ebits;
  int mbits;
  bool has_infinity;  // false for e4m3, which uses those codes for numbers
};

constexpr SmallFormat half_format{5, 10, true};
constexpr SmallFormat bfloat16_format{8, 7, true};
constexpr SmallFormat e4m3_format{4, 3, false};
constexpr SmallFormat e5m2_format{5, 2, true};

/** Exact. */
double decode(SmallFormat format, std::uint32_t bits);

/** To nearest, ties to even; the 8-bit formats saturate as CUDA's conversions do. */
std::uint32_t encode(SmallFormat format, double value);

}  // namespace fake
