#pragma once

#include <cstdint>

// First, because these types bear the names of its enumerators.
#include "tutti/data_type.hpp"

namespace tutti {

namespace detail {

/// What a small float does beyond its largest finite value.
enum class Overflow {
  infinity,     ///< as IEEE 754: float16, bfloat16
  saturate,     ///< keeps infinities out of sums, as CUDA's conversions do: float8_e5m2
  finite_only,  ///< saturates and has no infinity; all ones is NaN: float8_e4m3
};

/// Rounds `value` to nearest, ties to even, into a sign, `E` exponent and `M` mantissa bits.
template <int E, int M, Overflow overflow>
constexpr std::uint32_t encode_small_float(float value) noexcept {
  const auto bits = __builtin_bit_cast(std::uint32_t, value);
  const std::uint32_t sign = (bits >> 31) << (E + M);
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  constexpr std::uint32_t all_ones = (1U << (E + M)) - 1;
  constexpr std::uint32_t infinity = ((1U << E) - 1) << M;
  constexpr std::uint32_t largest = overflow == Overflow::finite_only ? all_ones - 1 : infinity - 1;
  constexpr std::uint32_t beyond = overflow == Overflow::infinity ? infinity : largest;
  if (magnitude > 0x7f800000U)
    return overflow == Overflow::finite_only ? sign | all_ones : sign | infinity | (1U << (M - 1));

  constexpr int bias = (1 << (E - 1)) - 1;
  // A denormal float has the exponent of the smallest normal one, without its leading one.
  const std::uint32_t source_exponent = (magnitude >> 23) != 0 ? magnitude >> 23 : 1;
  const int exponent = static_cast<int>(source_exponent) - 127 + bias;
  // Denormal results keep fewer mantissa bits; one bit more is the rounding of the leading one.
  const int dropped = 23 - M + (exponent < 1 ? 1 - exponent : 0);
  if (dropped > 24) return sign;
  std::uint32_t mantissa = magnitude & 0x007fffffU;
  if ((magnitude >> 23) != 0) mantissa |= 0x00800000U;
  std::uint32_t result = mantissa >> dropped;
  const std::uint32_t rest = mantissa & ((1U << dropped) - 1);
  const std::uint32_t half = 1U << (dropped - 1);
  if (rest > half || (rest == half && (result & 1U) != 0)) ++result;
  // A carry out of the mantissa lands in the exponent, which is what rounding up asks for.
  if (exponent >= 1) result += static_cast<std::uint32_t>(exponent - 1) << M;
  return sign | (result > largest ? beyond : result);
}

template <int E, int M, Overflow overflow>
constexpr float decode_small_float(std::uint32_t bits) noexcept {
  const std::uint32_t sign = (bits >> (E + M)) << 31;
  const std::uint32_t exponent = (bits >> M) & ((1U << E) - 1);
  const std::uint32_t mantissa = bits & ((1U << M) - 1);
  constexpr std::uint32_t bias = (1U << (E - 1)) - 1;
  const bool top = exponent == (1U << E) - 1;
  if (top && (overflow != Overflow::finite_only || mantissa == (1U << M) - 1))
    return __builtin_bit_cast(float, sign | 0x7f800000U | (mantissa << (23 - M)));
  if (exponent != 0 || E == 8)
    return __builtin_bit_cast(
        float,
        sign | (((E == 8 ? exponent : exponent + (127U - bias)) << 23) | mantissa << (23 - M)));
  // Denormals of these formats are normal floats.
  float unit = 1;
  for (std::uint32_t i = 0; i < bias - 1 + M; ++i) unit /= 2;
  const float value = static_cast<float>(mantissa) * unit;
  return sign != 0 ? -value : value;
}

/// A storage type: converts from and to float; arithmetic happens in float.
template <class Bits, int E, int M, Overflow overflow>
class SmallFloat {
 public:
  constexpr SmallFloat() noexcept = default;
  /// Rounds to nearest, ties to even.
  constexpr SmallFloat(float value) noexcept  // NOLINT: implicit, as float to double is
      : bits_(static_cast<Bits>(encode_small_float<E, M, overflow>(value))) {}
  constexpr operator float() const noexcept {  // NOLINT: exact
    return decode_small_float<E, M, overflow>(bits_);
  }
  static constexpr SmallFloat from_bits(Bits bits) noexcept {
    SmallFloat result;
    result.bits_ = bits;
    return result;
  }
  constexpr Bits bits() const noexcept { return bits_; }

 private:
  Bits bits_{};
};

}  // namespace detail

/// IEEE 754 binary16.
using float16 = detail::SmallFloat<std::uint16_t, 5, 10, detail::Overflow::infinity>;
/// The upper half of a float32.
using bfloat16 = detail::SmallFloat<std::uint16_t, 8, 7, detail::Overflow::infinity>;
/// OCP 8-bit float without infinities; conversion saturates at 448, as CUDA's does.
using float8_e4m3 = detail::SmallFloat<std::uint8_t, 4, 3, detail::Overflow::finite_only>;
/// OCP 8-bit float; conversion saturates at 57344, as CUDA's does.
using float8_e5m2 = detail::SmallFloat<std::uint8_t, 5, 2, detail::Overflow::saturate>;

}  // namespace tutti
