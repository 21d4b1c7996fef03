#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "core/arithmetic.hpp"
#include "core/kernels.hpp"
#include "core/small_float_lanes.hpp"
#include "core/visit_reduction.hpp"

// The loops behind `Kernels`. They are plain C++ for the compiler's vectoriser: a function with a
// target attribute for each instruction set inlines them (see kernels_x86.hpp), which needs no
// object file with flags of its own, whose copies of inline functions the linker could choose for
// everybody. Measured against loops of intrinsics it loses nothing for types of 32 and 64 bits; a
// SIMD library would write the same loops once more, with types of its own.

// An output may be an input, at equal pointers only: one iteration never reads what another wrote.
// Without this promise the compiler's test for overlap sends every in-place call the slow way.
#ifdef __clang__
#define TUTTI_INDEPENDENT_ITERATIONS _Pragma("clang loop vectorize(assume_safety)")
#else
#define TUTTI_INDEPENDENT_ITERATIONS _Pragma("GCC ivdep")
#endif

namespace tutti {

/// One element of data to and from the type that partial results are kept in.
template <ReduceOp::Kind kind, class T>
struct Lane {
  using Partial = Accumulator<kind, T>;

  [[gnu::always_inline]] static Partial loaded(T stored) noexcept {
    if constexpr (is_small_float_v<T>)
      return __builtin_bit_cast(float, widened<T>(stored.bits()));
    else
      return static_cast<Partial>(stored);
  }
  [[gnu::always_inline]] static T stored(Partial value) noexcept {
    if constexpr (is_small_float_v<T>)
      return T::from_bits(static_cast<typename SmallFloatFormat<T>::Storage>(
          narrowed<T>(__builtin_bit_cast(std::uint32_t, value))));
    else
      return static_cast<T>(value);
  }
  [[gnu::always_inline]] static Partial scalar(const KernelContext& context) noexcept {
    if constexpr (kind == ReduceOp::Kind::pre_multiplied)
      return loaded(*static_cast<const T*>(context.scalar));
    else
      return {};
  }
};

/// out = left o right. The left side and the result are data or partial results.
template <ReduceOp::Kind reduction, class T, bool left_is_partial, bool out_is_partial>
struct CombineLoop {
  static constexpr ReduceOp::Kind kind = reduction;
  using L = Lane<kind, T>;
  using Partial = typename L::Partial;
  using Left = std::conditional_t<left_is_partial, Partial, T>;
  using Out = std::conditional_t<out_is_partial, Partial, T>;

  [[gnu::always_inline]] static Partial combined(Partial left, Partial right,
                                                 [[maybe_unused]] Partial scalar,
                                                 [[maybe_unused]] std::size_t n) noexcept {
    if constexpr (kind == ReduceOp::Kind::pre_multiplied) {
      right = multiply(scalar, right);
      if constexpr (!left_is_partial) left = multiply(scalar, left);
    }
    const Partial value = combine<kind, Partial>(left, right);
    if constexpr (kind == ReduceOp::Kind::avg && !out_is_partial)
      return divide(value, n);
    else
      return value;
  }

  template <class Converter>
  [[gnu::always_inline]] static void run(const void* left, const void* right, void* out,
                                         std::size_t count, const KernelContext& context) noexcept {
    const auto* const l = static_cast<const Left*>(left);
    const auto* const r = static_cast<const T*>(right);
    auto* const o = static_cast<Out*>(out);
    const Partial scalar = L::scalar(context);
    const std::size_t n = context.n;
    if constexpr (is_small_float_v<T>) {
      std::size_t i = 0;
      for (; i + small_float_block <= count; i += small_float_block)
        run_block<Converter>(l + i, r + i, o + i, scalar, n);
      if (i != count) run_short_block<Converter>(l + i, r + i, o + i, count - i, scalar, n);
    } else {
      TUTTI_INDEPENDENT_ITERATIONS
      for (std::size_t i = 0; i < count; ++i)
        o[i] = static_cast<Out>(
            combined(static_cast<Partial>(l[i]), static_cast<Partial>(r[i]), scalar, n));
    }
  }

 private:
  template <class Converter>
  [[gnu::always_inline]] static void run_block(const Left* left, const T* right, Out* out,
                                               Partial scalar, std::size_t n) noexcept {
    float lefts[small_float_block], rights[small_float_block], results[small_float_block];
    const float* l = lefts;
    float* o = results;
    // Partial results are used where they are.
    if constexpr (left_is_partial)
      l = left;
    else
      Converter::widen(left, lefts);
    if constexpr (out_is_partial) o = out;
    Converter::widen(right, rights);
    TUTTI_INDEPENDENT_ITERATIONS
    for (std::size_t i = 0; i < small_float_block; ++i) o[i] = combined(l[i], rights[i], scalar, n);
    if constexpr (!out_is_partial) Converter::narrow(results, out);
  }

  template <class Converter>
  [[gnu::always_inline]] static void run_short_block(const Left* left, const T* right, Out* out,
                                                     std::size_t count, Partial scalar,
                                                     std::size_t n) noexcept {
    Left l[small_float_block] = {};
    T r[small_float_block] = {};
    Out o[small_float_block];
    std::copy_n(left, count, l);
    std::copy_n(right, count, r);
    run_block<Converter>(l, r, o, scalar, n);
    std::copy_n(o, count, out);
  }
};

template <ReduceOp::Kind kind, class T>
struct WidenLoop {
  using L = Lane<kind, T>;
  template <class Converter>
  [[gnu::always_inline]] static void run(const void* in, const void*, void* out, std::size_t count,
                                         const KernelContext& context) noexcept {
    const auto* const from = static_cast<const T*>(in);
    auto* const to = static_cast<typename L::Partial*>(out);
    [[maybe_unused]] const typename L::Partial scalar = L::scalar(context);
    TUTTI_INDEPENDENT_ITERATIONS
    for (std::size_t i = 0; i < count; ++i) {
      if constexpr (kind == ReduceOp::Kind::pre_multiplied)
        to[i] = multiply(scalar, L::loaded(from[i]));
      else if constexpr (is_small_float_v<T>)
        to[i] = with_one_nan(L::loaded(from[i]));
      else
        to[i] = L::loaded(from[i]);
    }
  }
};

template <ReduceOp::Kind kind, class T>
struct StoreLoop {
  using L = Lane<kind, T>;
  template <class Converter>
  [[gnu::always_inline]] static void run(const void* in, const void*, void* out, std::size_t count,
                                         const KernelContext& context) noexcept {
    using Kind = ReduceOp::Kind;
    const auto* const from = static_cast<const typename L::Partial*>(in);
    auto* const to = static_cast<T*>(out);
    [[maybe_unused]] const std::size_t n = context.n;
    TUTTI_INDEPENDENT_ITERATIONS
    for (std::size_t i = 0; i < count; ++i) {
      if constexpr (kind == Kind::logical_and || kind == Kind::logical_or ||
                    kind == Kind::logical_xor)
        to[i] = static_cast<T>(from[i] != 0);
      else if constexpr (kind == Kind::avg)
        to[i] = L::stored(divide(from[i], n));
      else
        to[i] = L::stored(from[i]);
    }
  }
};

/// For what the architecture always has.
struct Baseline {
  template <class Loop>
  static void run(const void* left, const void* right, void* out, std::size_t count,
                  const KernelContext& context) {
    Loop::template run<LaneConverter>(left, right, out, count, context);
  }
};

// Widening alone and storing alone serve scans and single arrays: the baseline does.
template <class Target, ReduceOp::Kind kind, class T>
Kernels make_kernels(std::size_t lanes) noexcept {
  using Kind = ReduceOp::Kind;
  using Partial = Accumulator<kind, T>;
  constexpr bool wide = !std::is_same_v<Partial, T>;
  constexpr bool from_partial = wide || kind == Kind::pre_multiplied;
  constexpr bool to_partial = wide || kind == Kind::avg;
  return {lanes,
          sizeof(T),
          sizeof(Partial),
          Target::template run<CombineLoop<kind, T, false, false>>,
          Target::template run<CombineLoop<kind, T, false, to_partial>>,
          Target::template run<CombineLoop<kind, T, from_partial, to_partial>>,
          Target::template run<CombineLoop<kind, T, from_partial, false>>,
          Baseline::run<WidenLoop<kind, T>>,
          Baseline::run<StoreLoop<kind, T>>};
}

/// Reductions that are the same on bits share their loops: signed and unsigned, complex and two
/// reals, any width of a bitwise one; bool, which is any byte here, is logic on bytes.
template <class Target, ReduceOp::Kind kind, class T>
Kernels shared_kernels() noexcept {
  using Kind = ReduceOp::Kind;
  constexpr bool bitwise =
      kind == Kind::bitwise_and || kind == Kind::bitwise_or || kind == Kind::bitwise_xor;
  constexpr bool ordered = kind == Kind::min || kind == Kind::max || kind == Kind::avg;
  if constexpr (std::is_same_v<T, bool>) {
    constexpr Kind logic = kind == Kind::logical_xor || kind == Kind::bitwise_xor
                               ? Kind::logical_xor
                           : kind == Kind::sum || kind == Kind::max || kind == Kind::logical_or ||
                                   kind == Kind::bitwise_or
                               ? Kind::logical_or
                               : Kind::logical_and;
    return make_kernels<Target, logic, std::uint8_t>(1);
  } else if constexpr (bitwise) {
    return make_kernels<Target, kind, std::uint8_t>(sizeof(T));
  } else if constexpr (std::is_integral_v<T> && !ordered) {
    return make_kernels<Target, kind, std::make_unsigned_t<T>>(1);
  } else if constexpr (is_complex_v<T> && (kind == Kind::sum || kind == Kind::avg)) {
    return make_kernels<Target, kind, typename T::value_type>(2);
  } else {
    return make_kernels<Target, kind, T>(1);
  }
}

template <class Target>
KernelTable make_kernel_table() noexcept {
  KernelTable table;
  for (const ReduceOp::Kind kind : all_reduce_kinds)
    for (const DataType type : all_data_types)
      visit_reduction(kind, type, [&]<ReduceOp::Kind k, class T>() {
        table.cells[static_cast<std::size_t>(kind)][static_cast<std::size_t>(type)] =
            shared_kernels<Target, k, T>();
      });
  return table;
}

}  // namespace tutti
