#include "support/formats.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

namespace tutti::test {
namespace {

struct Format {
  int exponent_bits;
  int mantissa_bits;
  bool infinities;  // false: float8_e4m3, whose only special magnitude is all ones
  bool saturates;
  std::vector<double> magnitudes = {};  // of all finite values from +0 on; the index is the bits
};

double magnitude_of(const Format& format, std::uint32_t bits) {
  const std::uint32_t steps = 1U << format.mantissa_bits;
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  const int exponent = static_cast<int>(bits / steps);
  const std::uint32_t fraction = bits % steps;
  const int top = (1 << format.exponent_bits) - 1;
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  if (format.infinities && exponent == top)
    return fraction == 0 ? std::numeric_limits<double>::infinity() : nan;
  if (!format.infinities && exponent == top && fraction == steps - 1) return nan;
  if (exponent == 0) return std::ldexp(fraction, 1 - bias - format.mantissa_bits);
  return std::ldexp(steps + fraction, exponent - bias - format.mantissa_bits);
}

Format make(int exponent_bits, int mantissa_bits, bool infinities, bool saturates) {
  Format format{exponent_bits, mantissa_bits, infinities, saturates};
  for (std::uint32_t bits = 0; std::isfinite(magnitude_of(format, bits)); ++bits)
    format.magnitudes.push_back(magnitude_of(format, bits));
  return format;
}

const Format& format_of(DataType type) {
  static const std::array<Format, 4> formats = {make(5, 10, true, false), make(8, 7, true, false),
                                                make(4, 3, false, true), make(5, 2, true, true)};
  if (type == DataType::float16) return formats[0];
  if (type == DataType::bfloat16) return formats[1];
  if (type == DataType::float8_e4m3) return formats[2];
  if (type == DataType::float8_e5m2) return formats[3];
  throw std::logic_error("not a small float");
}

// Index of the value nearest to `magnitude`; one past the last stands for "beyond".
std::size_t nearest(const std::vector<double>& values, double magnitude) {
  const auto above = std::lower_bound(values.begin(), values.end(), magnitude);
  const auto index = static_cast<std::size_t>(above - values.begin());
  if (index < values.size() && values[index] == magnitude) return index;
  const std::size_t last = values.size() - 1;
  // The value that would follow the largest, with the largest one's step.
  const double next = index <= last ? values[index] : 2 * values[last] - values[last - 1];
  const double below = values[index - 1];
  const double middle = below + (next - below) / 2;
  if (magnitude < middle || (magnitude == middle && index % 2 == 1)) return index - 1;
  return index;
}

}  // namespace

bool is_small_float(DataType type) {
  return type == DataType::float16 || type == DataType::bfloat16 || type == DataType::float8_e4m3 ||
         type == DataType::float8_e5m2;
}

double decode(DataType type, std::uint32_t bits) {
  const Format& format = format_of(type);
  const std::uint32_t sign = 1U << (format.exponent_bits + format.mantissa_bits);
  const double magnitude = magnitude_of(format, bits & (sign - 1));
  return (bits & sign) != 0 ? -magnitude : magnitude;
}

std::uint32_t encode(DataType type, double value) {
  const Format& format = format_of(type);
  const std::uint32_t sign_bit = 1U << (format.exponent_bits + format.mantissa_bits);
  const std::uint32_t sign = std::signbit(value) ? sign_bit : 0;
  if (std::isnan(value)) return sign_bit - 1;  // all ones below the sign: NaN in all four formats
  const std::size_t count = format.magnitudes.size();
  std::size_t index = std::isinf(value) ? count : nearest(format.magnitudes, std::fabs(value));
  if (index >= count) index = format.saturates ? count - 1 : count;
  return sign | static_cast<std::uint32_t>(index);
}

}  // namespace tutti::test
