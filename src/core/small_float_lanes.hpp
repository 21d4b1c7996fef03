#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tutti/small_floats.hpp"

// The conversions of small floats without a branch, so that the compiler turns a loop of them into
// vectors on any architecture: all in 32-bit lanes, compared as signed numbers because SSE2 has no
// other comparison.

namespace tutti {

template <class T>
struct SmallFloatFormat;
template <class Bits, int E, int M, detail::Overflow rule>
struct SmallFloatFormat<detail::SmallFloat<Bits, E, M, rule>> {
  using Storage = Bits;
  static constexpr int exponent_bits = E;
  static constexpr int mantissa_bits = M;
  static constexpr int dropped = 23 - M;
  static constexpr int bias = (1 << (E - 1)) - 1;
  static constexpr bool finite_only = rule == detail::Overflow::finite_only;
  static constexpr std::int32_t all_ones = (1 << (E + M)) - 1;
  static constexpr std::int32_t infinity = ((1 << E) - 1) << M;
  static constexpr std::int32_t largest = finite_only ? all_ones - 1 : infinity - 1;
  static constexpr std::int32_t beyond = rule == detail::Overflow::infinity ? infinity : largest;
  static constexpr std::int32_t nan = finite_only ? all_ones : infinity | (1 << (M - 1));
};

inline constexpr float power_of_two(int exponent) noexcept {
  return __builtin_bit_cast(float, static_cast<std::uint32_t>(exponent + 127) << 23);
}

/// The bits of the value, which is exact; of a NaN the payload and the sign are not kept.
template <class T>
[[gnu::always_inline]] inline std::uint32_t widened(std::uint32_t bits) noexcept {
  using Format = SmallFloatFormat<T>;
  constexpr int width = Format::exponent_bits + Format::mantissa_bits;
  if constexpr (Format::exponent_bits == 8) {
    return bits << Format::dropped;
  } else {
    const auto magnitude = static_cast<std::int32_t>(bits & Format::all_ones);
    const std::uint32_t sign = (bits >> width) << 31;
    const std::int32_t normal = (magnitude << Format::dropped) + ((127 - Format::bias) << 23);
    // Denormals of these formats are normal floats: their mantissa times the smallest of them.
    const auto denormal = __builtin_bit_cast(
        std::int32_t,
        static_cast<float>(magnitude) * power_of_two(1 - Format::bias - Format::mantissa_bits));
    std::int32_t value = magnitude < (1 << Format::mantissa_bits) ? denormal : normal;
    if constexpr (Format::finite_only)
      value = magnitude == Format::all_ones ? 0x7fc00000 : value;
    else
      value = magnitude >= Format::infinity ? 0x7f800000 | (magnitude << Format::dropped) : value;
    return sign | static_cast<std::uint32_t>(value);
  }
}

/// The bits of the nearest `T`, ties to even, as `T(value)`. A NaN must be the one that
/// `with_one_nan` gives: then bfloat16 needs no case of its own for it.
template <class T>
[[gnu::always_inline]] inline std::uint32_t narrowed(std::uint32_t bits) noexcept {
  using Format = SmallFloatFormat<T>;
  constexpr std::uint32_t almost_half = (1U << (Format::dropped - 1)) - 1;
  if constexpr (Format::exponent_bits == 8) {
    const std::uint32_t odd = (bits >> Format::dropped) & 1U;
    return (bits + (almost_half + odd)) >> Format::dropped;
  } else {
    const std::uint32_t sign = bits >> 31 << (Format::exponent_bits + Format::mantissa_bits);
    const std::uint32_t magnitude = bits & 0x7fffffffU;
    const std::uint32_t odd = (magnitude >> Format::dropped) & 1U;
    constexpr std::uint32_t rebias = static_cast<std::uint32_t>(127 - Format::bias) << 23;
    // A carry out of the mantissa lands in the exponent, which is what rounding up asks for.
    const auto normal =
        static_cast<std::int32_t>((magnitude - rebias + (almost_half + odd)) >> Format::dropped);
    // Beside this number floats are as far apart as denormals of the format: the addition rounds.
    constexpr float aligned = power_of_two(24 - Format::bias - Format::mantissa_bits);
    const std::int32_t denormal =
        __builtin_bit_cast(std::int32_t, __builtin_bit_cast(float, magnitude) + aligned) -
        __builtin_bit_cast(std::int32_t, aligned);
    const auto as_signed = static_cast<std::int32_t>(magnitude);
    std::int32_t result = as_signed < ((128 - Format::bias) << 23) ? denormal : normal;
    result = result > Format::largest ? Format::beyond : result;
    result = as_signed > 0x7f800000 ? Format::nan : result;
    return sign | static_cast<std::uint32_t>(result);
  }
}

/// Elements that are converted at once. Each loop over them works on lanes of one width, because
/// GCC's vectoriser is lost where masks change theirs; between the loops they are in the
/// first-level cache, or in registers.
inline constexpr std::size_t small_float_block = 64;

// Two bfloat16 are in a word: the upper one is a float as it stands, the lower one after a shift,
// so that nothing changes places. In a block of floats those of all lower ones come first.
inline constexpr std::size_t block_words = small_float_block / 2;
inline constexpr std::uint32_t upper_half = 0xffff0000U;

[[gnu::always_inline]] inline std::uint32_t word_at(const bfloat16* block, std::size_t i) noexcept {
  std::uint32_t word;
  __builtin_memcpy(&word, block + 2 * i, sizeof word);
  return word;
}
[[gnu::always_inline]] inline float lower_of(std::uint32_t word) noexcept {
  return __builtin_bit_cast(float, word << 16);
}
[[gnu::always_inline]] inline float upper_of(std::uint32_t word) noexcept {
  return __builtin_bit_cast(float, word& upper_half);
}
[[gnu::always_inline]] inline void store_word(float lower, float upper, bfloat16* block,
                                              std::size_t i) noexcept {
  const auto lower_bits = __builtin_bit_cast(std::uint32_t, lower);
  const auto upper_bits = __builtin_bit_cast(std::uint32_t, upper);
  const std::uint32_t word = narrowed<bfloat16>(lower_bits) | narrowed<bfloat16>(upper_bits) << 16;
  __builtin_memcpy(static_cast<void*>(block + 2 * i), &word, sizeof word);
}

/// Conversions of a block, written for the vectoriser.
struct LaneConverter {
  template <class T>
  [[gnu::always_inline]] static void widen(const T* from, float* to) noexcept {
    std::uint32_t lanes[small_float_block];
    for (std::size_t i = 0; i < small_float_block; ++i) lanes[i] = from[i].bits();
    for (std::size_t i = 0; i < small_float_block; ++i)
      to[i] = __builtin_bit_cast(float, widened<T>(lanes[i]));
  }
  [[gnu::always_inline]] static void widen(const bfloat16* from, float* to) noexcept {
    for (std::size_t i = 0; i < block_words; ++i) {
      to[i] = lower_of(word_at(from, i));
      to[block_words + i] = upper_of(word_at(from, i));
    }
  }
  template <class T>
  [[gnu::always_inline]] static void narrow(const float* from, T* to) noexcept {
    std::uint32_t lanes[small_float_block];
    for (std::size_t i = 0; i < small_float_block; ++i)
      lanes[i] = narrowed<T>(__builtin_bit_cast(std::uint32_t, from[i]));
    for (std::size_t i = 0; i < small_float_block; ++i)
      to[i] = T::from_bits(static_cast<typename SmallFloatFormat<T>::Storage>(lanes[i]));
  }
  [[gnu::always_inline]] static void narrow(const float* from, bfloat16* to) noexcept {
    for (std::size_t i = 0; i < block_words; ++i) store_word(from[i], from[block_words + i], to, i);
  }
};

/// Calls `on_block(from, to)` for each block of data `from` or `to`; the last one, if it is short,
/// through memory of its own. Partial results (floats) have room for whole blocks.
template <class From, class To, class OnBlock>
[[gnu::always_inline]] inline void for_each_block(const From* from, To* to, std::size_t count,
                                                  OnBlock on_block) noexcept {
  std::size_t i = 0;
  for (; i + small_float_block <= count; i += small_float_block) on_block(from + i, to + i);
  if (i == count) return;
  if constexpr (std::is_same_v<From, float>) {
    To short_block[small_float_block];
    on_block(from + i, short_block);
    std::copy_n(short_block, count - i, to + i);
  } else {
    From short_block[small_float_block] = {};
    std::copy_n(from + i, count - i, short_block);
    on_block(short_block, to + i);
  }
}

}  // namespace tutti
