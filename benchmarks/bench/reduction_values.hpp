#pragma once

#include "bench/element_values.hpp"

namespace tutti::bench {

template <class W>
W combine_bits(Kind op, W a, W b) {
  if (op == Kind::bitwise_and) return a & b;
  if (op == Kind::bitwise_or) return a | b;
  return a ^ b;
}

inline bool combine_truth(Kind op, bool a, bool b) {
  if (op == Kind::logical_and || op == Kind::prod || op == Kind::min || op == Kind::bitwise_and)
    return a && b;
  if (op == Kind::logical_xor || op == Kind::bitwise_xor) return a != b;
  return a || b;
}

template <class W>
W combine(Kind op, W a, W b) {
  constexpr bool integral = std::is_integral_v<W>;
  using U = std::conditional_t<integral, std::uint64_t, W>;  // wraps, where int64 must not overflow
  if (op == Kind::prod) return static_cast<W>(static_cast<U>(a) * static_cast<U>(b));
  if constexpr (!is_complex<W>) {
    if (op == Kind::min) return std::min(a, b);
    if (op == Kind::max) return std::max(a, b);
    if (is_logical(op)) return combine_truth(op, a != 0, b != 0) ? W{1} : W{0};
  }
  if constexpr (integral) {
    if (op == Kind::bitwise_and || op == Kind::bitwise_or || op == Kind::bitwise_xor)
      return combine_bits(op, a, b);
  }
  return static_cast<W>(static_cast<U>(a) + static_cast<U>(b));
}

/// The exact mean of integers, truncated toward zero.
template <class T>
T integer_mean(const Pattern::Recipe& recipe, int first, int last, std::size_t k) {
  __extension__ using Int128 = __int128;
  Int128 total = 0;
  for (int rank = first; rank < last; ++rank) total += widen(input_value<T>(recipe, rank, k));
  return static_cast<T>(total / (last - first));
}

/// What one rank brings to the reduction.
template <class T>
Wide<T> contribution(const Pattern::Recipe& recipe, Kind op, int rank, std::size_t k) {
  using W = Wide<T>;
  const W value = widen(input_value<T>(recipe, rank, k));
  if (op == Kind::pre_multiplied) {
    using U = std::conditional_t<std::is_integral_v<W>, std::uint64_t, W>;
    return static_cast<W>(static_cast<U>(value) * static_cast<U>(scalar));
  }
  if constexpr (!is_complex<T>)
    if (is_logical(op)) return value != W{} ? W{1} : W{};
  return value;
}

template <class T>
T narrow(Wide<T> value) {
  if constexpr (is_complex<T>)
    return T(static_cast<typename T::value_type>(value.real()),
             static_cast<typename T::value_type>(value.imag()));
  else if constexpr (is_floating<T> && sizeof(T) < 8)
    return static_cast<T>(static_cast<float>(value));
  else
    return static_cast<T>(value);
}

template <class T>
T reduced(const Pattern::Recipe& recipe, Kind op, int first, int last, std::size_t k) {
  if constexpr (std::is_integral_v<T>)
    if (op == Kind::avg) return integer_mean<T>(recipe, first, last, k);
  Wide<T> result = contribution<T>(recipe, op, first, k);
  for (int rank = first + 1; rank < last; ++rank)
    result = combine(op, result, contribution<T>(recipe, op, rank, k));
  if (op == Kind::avg) result = result / static_cast<Wide<T>>(last - first);
  return narrow<T>(result);
}

template <class T>
T reduced_truth(const Pattern::Recipe& recipe, Kind op, int first, int last, std::size_t k) {
  bool result = input_value<T>(recipe, first, k);
  for (int rank = first + 1; rank < last; ++rank)
    result = combine_truth(op, result, input_value<T>(recipe, rank, k));
  return result;
}

/// Element k of the reduction over ranks first to last - 1; one rank alone: its own data.
template <class T>
T expected_value(const Pattern::Recipe& recipe, int first, int last, std::size_t k) {
  if constexpr (std::is_same_v<T, std::byte>)
    return input_value<T>(recipe, first, k);
  else if (!recipe.op)
    return input_value<T>(recipe, first, k);
  else if constexpr (std::is_same_v<T, bool>)
    return reduced_truth<T>(recipe, *recipe.op, first, last, k);
  else
    return reduced<T>(recipe, *recipe.op, first, last, k);
}

/// Whether `got` is near enough where the result need not be representable: avg of floating point.
template <class T>
bool nearly_equal(T expected, T got) {
  if constexpr (is_complex<T>) {
    return nearly_equal(expected.real(), got.real()) && nearly_equal(expected.imag(), got.imag());
  } else if constexpr (is_floating<T>) {
    // Two units in the last place at the magnitude of what was summed, which is small integers.
    const double unit = 4 / largest_exact<T>();
    const double difference = std::abs(widen(expected) - widen(got));
    return difference <= unit * std::max(1.0, std::abs(widen(expected)));
  } else {
    return expected == got;
  }
}

/// Equal as numbers: the sign of a zero depends on the order of a reduction.
template <class T>
bool same_value(const Pattern::Recipe& recipe, T expected, T got) {
  if (recipe.op == Kind::avg) return nearly_equal(expected, got);
  if constexpr (is_complex<T> || is_floating<T>) return widen(expected) == widen(got);
  return expected == got;
}

}  // namespace tutti::bench
