#pragma once

#include <cstddef>
#include <limits>
#include <type_traits>

#include "core/independent_iterations.hpp"
#include "core/kernels.hpp"
#include "core/small_float_lanes.hpp"

// min and max of small floats. One of two numbers needs no rounding, so their bits are compared as
// integers, in lanes of their own width: several times as fast as in float, with the same result.

namespace tutti {

template <class T>
struct SmallFloatOrder {
  using Format = SmallFloatFormat<T>;
  using Bits = typename Format::Storage;
  using Key = std::make_signed_t<Bits>;
  static constexpr Key magnitude_mask = std::numeric_limits<Key>::max();
  static constexpr Key highest = Format::finite_only ? Format::largest : Format::infinity;

  static constexpr Key magnitude(Key bits) noexcept {
    return static_cast<Key>(bits & magnitude_mask);
  }
  /// In the order of the numbers, -0 before +0; its own inverse.
  static constexpr Key key(Key bits) noexcept {
    return static_cast<Key>(bits ^ ((bits < 0 ? -1 : 0) & magnitude_mask));
  }
  /// What a conversion from float stores: some formats keep no infinity.
  static constexpr Key stored(Key bits) noexcept {
    if constexpr (Format::beyond == Format::infinity) {
      return bits;
    } else {
      constexpr Key largest = Format::largest;
      const Key size = magnitude(bits) > largest ? largest : magnitude(bits);
      return static_cast<Key>((bits & std::numeric_limits<Key>::min()) | size);
    }
  }
};

template <ReduceOp::Kind kind, class T>
struct OrderLoop {
  using Data = T;
  using Order = SmallFloatOrder<T>;
  using Key = typename Order::Key;

  [[gnu::always_inline]] static Key combined(Key left, Key right) noexcept {
    constexpr Key nan = Order::Format::nan;
    const Key l = Order::key(left), r = Order::key(right);
    const Key chosen = kind == ReduceOp::Kind::min ? (l < r ? l : r) : (l > r ? l : r);
    const Key larger = Order::magnitude(left) > Order::magnitude(right) ? Order::magnitude(left)
                                                                        : Order::magnitude(right);
    return larger > Order::highest ? nan : Order::stored(Order::key(chosen));
  }

  template <class Converter>
  [[gnu::always_inline]] static void run(const void* left, const void* right, void* out,
                                         std::size_t count, const KernelContext&) noexcept {
    const auto* const l = static_cast<const Key*>(left);
    const auto* const r = static_cast<const Key*>(right);
    auto* const o = static_cast<Key*>(out);
    TUTTI_INDEPENDENT_ITERATIONS
    for (std::size_t i = 0; i < count; ++i) o[i] = combined(l[i], r[i]);
  }
};

/// A single array, as its reduction leaves it.
template <ReduceOp::Kind kind, class T>
struct OrderCopyLoop {
  using Data = T;

  template <class Converter>
  [[gnu::always_inline]] static void run(const void* in, const void*, void* out, std::size_t count,
                                         const KernelContext& context) noexcept {
    OrderLoop<kind, T>::template run<Converter>(in, in, out, count, context);
  }
};

}  // namespace tutti
