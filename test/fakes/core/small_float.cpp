#include "core/small_float.hpp"

#include <cmath>
#include <limits>

namespace fake {
namespace {

int bias(SmallFormat format) {
  return (1 << (format.ebits - 1)) - 1;
}
std::uint32_t exponent_mask(SmallFormat format) {
  return (1U << format.ebits) - 1;
}
std::uint32_t mantissa_mask(SmallFormat format) {
  return (1U << format.mbits) - 1;
}

std::uint32_t nan_code(SmallFormat format) {
  return (exponent_mask(format) << format.mbits) | mantissa_mask(format);
}

std::uint32_t infinity_code(SmallFormat format) {
  return exponent_mask(format) << format.mbits;
}

/** Largest finite value: the code below infinity, or below NaN where there is no infinity. */
std::uint32_t largest_code(SmallFormat format) {
  return (format.has_infinity ? infinity_code(format) : nan_code(format)) - 1;
}

bool saturates(SmallFormat format) {
  return format.ebits + format.mbits == 7;
}

}  // namespace

double decode(SmallFormat format, std::uint32_t bits) {
  const std::uint32_t mantissa = bits & mantissa_mask(format);
  const std::uint32_t exponent = (bits >> format.mbits) & exponent_mask(format);
  const bool negative = ((bits >> (format.ebits + format.mbits)) & 1U) != 0;
  double value = 0;
  const std::uint32_t magnitude = (exponent << format.mbits) | mantissa;
  if (magnitude > largest_code(format)) {
    value = format.has_infinity && mantissa == 0 ? std::numeric_limits<double>::infinity()
                                                 : std::numeric_limits<double>::quiet_NaN();
  } else if (exponent == 0) {
    value = std::ldexp(mantissa, 1 - bias(format) - format.mbits);
  } else {
    value = std::ldexp(mantissa + (1U << format.mbits),
                       static_cast<int>(exponent) - bias(format) - format.mbits);
  }
  return negative ? -value : value;
}

std::uint32_t encode(SmallFormat format, double value) {
  const std::uint32_t sign = std::signbit(value) ? 1U << (format.ebits + format.mbits) : 0;
  if (std::isnan(value)) return sign | nan_code(format);
  const double magnitude = std::fabs(value);
  const std::uint32_t overflow = saturates(format) ? largest_code(format) : infinity_code(format);
  if (magnitude == 0) return sign;
  if (std::isinf(magnitude)) return sign | overflow;
  int exponent = 0;
  std::frexp(magnitude, &exponent);  // magnitude in [0.5, 1) x 2^exponent
  const int lowest = 1 - bias(format);
  const int power = exponent - 1 < lowest ? lowest : exponent - 1;
  // In units of the last place; rounding up may carry into the next power, as the codes do.
  const double units = std::nearbyint(std::ldexp(magnitude, format.mbits - power));
  const auto code = static_cast<std::uint64_t>(units) +
                    (static_cast<std::uint64_t>(power - lowest) << format.mbits);
  return sign | (code > largest_code(format) ? overflow : static_cast<std::uint32_t>(code));
}

}  // namespace fake
