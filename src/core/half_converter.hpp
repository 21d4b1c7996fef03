#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/small_float_lanes.hpp"

namespace tutti {

/// Conversions of small floats with the processor's own of float16. The 8-bit floats are upper
/// parts of a float16 too: float8_e5m2 as it is, float8_e4m3 with its numbers divided by 2^8.
/// `Instructions` has, for a block of numbers:
/// - widen(const float16*, float*);
/// - narrow(const float*, float16*) to the nearest;
/// - truncate(const float*, std::uint16_t*) toward zero, with the last bit set where that changed
///   the number, so that it can be rounded once more without rounding twice.
template <class Instructions>
struct HalfConverter {
  template <class T>
  [[gnu::always_inline]] static void widen(const T* from, float* to) noexcept {
    if constexpr (std::is_same_v<T, float16>)
      Instructions::widen(from, to);
    else if constexpr (std::is_same_v<T, bfloat16>)
      LaneConverter::widen(from, to);
    else
      widen_eighth(from, to);
  }

  template <class T>
  [[gnu::always_inline]] static void narrow(const float* from, T* to) noexcept {
    if constexpr (std::is_same_v<T, float16>)
      Instructions::narrow(from, to);
    else if constexpr (std::is_same_v<T, bfloat16>)
      LaneConverter::narrow(from, to);
    else
      narrow_eighth(from, to);
  }

 private:
  static constexpr std::size_t block = small_float_block;
  template <class T>
  static constexpr int shift = 10 - SmallFloatFormat<T>::mantissa_bits;
  template <class T>
  static constexpr bool scaled = SmallFloatFormat<T>::finite_only;

  template <class T>
  [[gnu::always_inline]] static void widen_eighth(const T* from, float* to) noexcept {
    float16 halves[block];
    for (std::size_t i = 0; i < block; ++i) {
      const std::uint32_t bits = from[i].bits();
      halves[i] = float16::from_bits(
          static_cast<std::uint16_t>((bits & 0x7fU) << shift<T> | (bits & 0x80U) << 8));
    }
    Instructions::widen(halves, to);
    if constexpr (scaled<T>) {
      for (std::size_t i = 0; i < block; ++i) {
        const float value = to[i] * 256;
        // What would be 480 is this format's NaN.
        to[i] = std::fabs(value) > 448 ? std::numeric_limits<float>::quiet_NaN() : value;
      }
    }
  }

  template <class T>
  [[gnu::always_inline]] static void narrow_eighth(const float* from, T* to) noexcept {
    using Format = SmallFloatFormat<T>;
    float numbers[block];
    for (std::size_t i = 0; i < block; ++i) numbers[i] = scaled<T> ? from[i] * 0x1p-8F : from[i];
    std::uint16_t halves[block];
    Instructions::truncate(numbers, halves);
    for (std::size_t i = 0; i < block; ++i) {
      constexpr std::uint16_t almost_half = (1U << (shift<T> - 1)) - 1;
      const auto magnitude = static_cast<std::uint16_t>(halves[i] & 0x7fffU);
      const auto odd = static_cast<std::uint16_t>((magnitude >> shift<T>)&1U);
      auto result = static_cast<std::uint16_t>(
          static_cast<std::uint16_t>(magnitude + almost_half + odd) >> shift<T>);
      result = result > Format::largest ? std::uint16_t{Format::largest} : result;
      result = magnitude > 0x7c00U ? std::uint16_t{Format::nan} : result;
      to[i] = T::from_bits(static_cast<std::uint8_t>(result | (halves[i] >> 8 & 0x80U)));
    }
  }
};

}  // namespace tutti
