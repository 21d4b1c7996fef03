#pragma once

#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/visit_type.hpp"
#include "tutti/reduce_op.hpp"

// The arithmetic that `ReduceOp` promises, one element at a time. Every path that reduces on the
// host goes through here, so that no MPI library's own arithmetic is ever relied on: Open MPI and
// MPICH lose NaNs in min and max, keep either NaN in a sum depending on the side it came from, have
// no small floats and refuse bool.

namespace tutti {

__extension__ using Int128 = __int128;
__extension__ using UInt128 = unsigned __int128;

template <class T>
inline constexpr bool is_small_float_v =
    std::is_same_v<T, float16> || std::is_same_v<T, bfloat16> || std::is_same_v<T, float8_e4m3> ||
    std::is_same_v<T, float8_e5m2>;

/// What partial results of a reduction of `T` are kept in.
template <ReduceOp::Kind kind, class T>
struct AccumulatorOf {
  // An exact mean needs the whole sum: in its 53 bits a double holds that of 2^21 numbers of 32
  // bits, and its quotient, which rounds, never reaches the next whole number; 2^31 numbers of 64
  // bits fit into 128.
  using Exact = std::conditional_t<sizeof(T) < 8, double,
                                   std::conditional_t<std::is_signed_v<T>, Int128, UInt128>>;
  using Real = std::conditional_t<is_small_float_v<T>, float, T>;
  using type = std::conditional_t<std::is_integral_v<T> && !std::is_same_v<T, bool> &&
                                      kind == ReduceOp::Kind::avg,
                                  Exact, Real>;
};
template <ReduceOp::Kind kind, class T>
using Accumulator = typename AccumulatorOf<kind, T>::type;

template <class T>
T with_one_nan(T value) noexcept {
  return value == value ? value : std::numeric_limits<T>::quiet_NaN();
}
template <class T>
std::complex<T> with_one_nan(std::complex<T> value) noexcept {
  return {with_one_nan(value.real()), with_one_nan(value.imag())};
}

/// Wraps modulo 2^bits; unsigned arithmetic in at least `unsigned` keeps it defined.
template <class T>
using Wrapping = std::common_type_t<std::make_unsigned_t<T>, unsigned>;

template <class T>
T add(T a, T b) noexcept {
  if constexpr (std::is_same_v<T, Int128> || std::is_same_v<T, UInt128>)
    return a + b;
  else if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<Wrapping<T>>(a) + static_cast<Wrapping<T>>(b));
  else
    return with_one_nan(a + b);
}

template <class T>
T multiply(T a, T b) noexcept {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<Wrapping<T>>(a) * static_cast<Wrapping<T>>(b));
  } else if constexpr (is_complex_v<T>) {
    // The plain formula: the library one is not commutative bit for bit.
    return with_one_nan(
        T(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()));
  } else {
    return with_one_nan(a * b);
  }
}

template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

// An int, for a test of two without a branch.
template <class T>
int is_number(T value) noexcept {
  return value == value ? 1 : 0;
}

// The order of `min` and `max`: of equal values only zeros differ, and -0 comes first. What is
// equal but for the sign is or-ed or and-ed, because vectors have no test of a sign that is as
// quick.
template <class T>
T smaller(T a, T b) noexcept {
  if constexpr (std::is_floating_point_v<T>) {
    using Bits = BitsOf<T>;
    const T first = a < b ? a : b, second = b < a ? b : a;
    const T least =
        __builtin_bit_cast(T, __builtin_bit_cast(Bits, first) | __builtin_bit_cast(Bits, second));
    return (is_number(a) & is_number(b)) != 0 ? least : std::numeric_limits<T>::quiet_NaN();
  } else {
    return a < b ? a : b;
  }
}
template <class T>
T larger(T a, T b) noexcept {
  if constexpr (std::is_floating_point_v<T>) {
    using Bits = BitsOf<T>;
    const T first = a > b ? a : b, second = b > a ? b : a;
    const T most =
        __builtin_bit_cast(T, __builtin_bit_cast(Bits, first) & __builtin_bit_cast(Bits, second));
    return (is_number(a) & is_number(b)) != 0 ? most : std::numeric_limits<T>::quiet_NaN();
  } else {
    return a > b ? a : b;
  }
}

/// left o right of two partial results.
template <ReduceOp::Kind kind, class A>
A combine(A left, A right) noexcept {
  using Kind = ReduceOp::Kind;
  if constexpr (std::is_same_v<A, bool>) {
    if constexpr (kind == Kind::sum || kind == Kind::max || kind == Kind::logical_or ||
                  kind == Kind::bitwise_or)
      return left || right;
    else if constexpr (kind == Kind::logical_xor || kind == Kind::bitwise_xor)
      return left != right;
    else
      return left && right;
  } else if constexpr (kind == Kind::sum || kind == Kind::avg || kind == Kind::pre_multiplied) {
    return add(left, right);
  } else if constexpr (kind == Kind::prod) {
    return multiply(left, right);
  } else if constexpr (kind == Kind::min) {
    return smaller(left, right);
  } else if constexpr (kind == Kind::max) {
    return larger(left, right);
  } else if constexpr (kind == Kind::logical_and) {
    return static_cast<A>((left != 0) && (right != 0));
  } else if constexpr (kind == Kind::logical_or) {
    return static_cast<A>((left != 0) || (right != 0));
  } else if constexpr (kind == Kind::logical_xor) {
    return static_cast<A>((left != 0) != (right != 0));
  } else if constexpr (kind == Kind::bitwise_and) {
    return static_cast<A>(left & right);
  } else if constexpr (kind == Kind::bitwise_or) {
    return static_cast<A>(left | right);
  } else {
    static_assert(kind == Kind::bitwise_xor);
    return static_cast<A>(left ^ right);
  }
}

/// total / n, for avg: the quotient of integers is truncated toward zero, at the latest when it is
/// stored.
template <class A>
A divide(A total, std::size_t n) noexcept {
  if constexpr (is_complex_v<A>)
    return total / static_cast<typename A::value_type>(n);
  else
    return total / static_cast<A>(n);
}

}  // namespace tutti
