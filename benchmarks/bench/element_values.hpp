#pragma once

#include <algorithm>

#include "bench/element.hpp"
#include "bench/job.hpp"

// Single values of a Pattern: what a rank sends, and what reducing it gives, both written down from
// the definition of the reduction and apart from the library that is measured.

namespace tutti::bench {

using Kind = ReduceOp::Kind;

/// A value for (seed, rank, k) that looks random; the finaliser of splitmix64.
inline std::uint64_t noise(std::uint64_t seed, int rank, std::size_t k) {
  std::uint64_t x = seed * 0x9e3779b97f4a7c15U +
                    static_cast<std::uint64_t>(rank) * 0xbf58476d1ce4e5b9U +
                    static_cast<std::uint64_t>(k) * 0x94d049bb133111ebU + 1;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

/// At each index only `most` of the ranks send anything but the neutral value.
inline bool takes_part(const Pattern::Recipe& recipe, int rank, std::size_t k, double most) {
  const auto turn = (static_cast<std::size_t>(rank) + k) % static_cast<std::size_t>(recipe.size);
  return static_cast<double>(turn) < most;
}

/// True about once among all ranks, so that "and" and "or" over them give both results.
inline bool rare(const Pattern::Recipe& recipe, int rank, std::size_t k) {
  return noise(recipe.seed, rank, k) % (2 * static_cast<std::uint64_t>(recipe.size)) == 0;
}

/// The truth value that a rank brings to a logical reduction.
inline bool truth(const Pattern::Recipe& recipe, Kind op, int rank, std::size_t k) {
  switch (op) {
    case Kind::prod:
    case Kind::min:
    case Kind::logical_and:
    case Kind::bitwise_and:
      return !rare(recipe, rank, k);
    case Kind::logical_xor:
    case Kind::bitwise_xor:
      return noise(recipe.seed, rank, k) % 2 == 0;
    case Kind::sum:
    case Kind::max:
    case Kind::avg:
    case Kind::logical_or:
    case Kind::bitwise_or:
    case Kind::pre_multiplied:
    case Kind::user:
      return rare(recipe, rank, k);
  }
  return false;
}

inline bool is_logical(Kind op) {
  return op == Kind::logical_and || op == Kind::logical_or || op == Kind::logical_xor;
}

/// A small integer; `most` bounds its magnitude and that of any partial sum over the ranks.
inline double small_integer(const Pattern::Recipe& recipe, int rank, std::size_t k, double most) {
  const double each = std::clamp(std::floor(most / recipe.size), 1.0, 100.0);
  if (recipe.op && !takes_part(recipe, rank, k, most)) return 0;
  const auto values = static_cast<std::uint64_t>(2 * each + 1);
  return static_cast<double>(noise(recipe.seed, rank, k) % values) - each;
}

template <class T>
T floating_input(const Pattern::Recipe& recipe, int rank, std::size_t k) {
  double value = 0;
  if (recipe.op && is_logical(*recipe.op))
    value = truth(recipe, *recipe.op, rank, k) ? 1 + static_cast<double>(k % 3) : 0;
  else if (recipe.op == Kind::prod)  // powers of two, few enough for the narrowest exponent
    value = takes_part(recipe, rank, k, 6) && noise(recipe.seed, rank, k) % 2 == 0 ? 2 : 1;
  else if (recipe.op == Kind::pre_multiplied)
    value = small_integer(recipe, rank, k, largest_exact<T>() / scalar);
  else
    value = small_integer(recipe, rank, k, largest_exact<T>());
  return static_cast<T>(static_cast<std::conditional_t<sizeof(T) == 8, double, float>>(value));
}

template <class T>
T complex_input(const Pattern::Recipe& recipe, int rank, std::size_t k) {
  using Part = typename T::value_type;
  if (recipe.op != Kind::prod)
    return {floating_input<Part>(recipe, rank, 2 * k),
            floating_input<Part>(recipe, rank, 2 * k + 1)};
  const bool turns = noise(recipe.seed, rank, k) % 3 == 0;  // by i, which keeps products exact
  const Part length = floating_input<Part>(recipe, rank, k);
  return turns ? T{0, length} : T{length, 0};
}

template <class T>
T input_value(const Pattern::Recipe& recipe, int rank, std::size_t k) {
  if constexpr (std::is_same_v<T, bool>) {
    return recipe.op ? truth(recipe, *recipe.op, rank, k) : noise(recipe.seed, rank, k) % 2 == 0;
  } else if constexpr (is_complex<T>) {
    return complex_input<T>(recipe, rank, k);
  } else if constexpr (is_floating<T>) {
    return floating_input<T>(recipe, rank, k);
  } else if constexpr (std::is_same_v<T, std::byte>) {
    return static_cast<std::byte>(noise(recipe.seed, rank, k));
  } else {
    if (recipe.op && is_logical(*recipe.op))
      return static_cast<T>(truth(recipe, *recipe.op, rank, k) ? 1 + k % 100 : 0);
    return static_cast<T>(noise(recipe.seed, rank, k));
  }
}

/// Exact arithmetic: integers modulo 2^64, whose lower bits are right for every narrower type;
/// floating point in double, which holds all the small integers.
template <class T>
using Wide = std::conditional_t<
    is_complex<T>, std::complex<double>,
    std::conditional_t<is_floating<T>, double,
                       std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>>;

template <class T>
Wide<T> widen(T value) {
  if constexpr (is_complex<T>)
    return {value.real(), value.imag()};
  else if constexpr (is_floating<T> && sizeof(T) < 4)
    return static_cast<double>(static_cast<float>(value));
  else
    return static_cast<Wide<T>>(value);
}

}  // namespace tutti::bench
