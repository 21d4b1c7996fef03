#pragma once

#include <cstdint>

#include "tutti/types.hpp"

// The small floats from their definitions, written apart from tutti's own conversions: every finite
// value is listed, and rounding looks up the nearest.
namespace tutti::test {

bool is_small_float(DataType type);

/// The value that the bits stand for; exact.
double decode(DataType type, std::uint32_t bits);

/// The bits of the nearest value, ties to the even one. float16 and bfloat16 go to infinity from
/// half a step beyond the largest value; the 8-bit floats stay at the largest. Any NaN gives some
/// NaN.
std::uint32_t encode(DataType type, double value);

}  // namespace tutti::test
