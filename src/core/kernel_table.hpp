#pragma once

#include <cstddef>
#include <type_traits>

#include "core/kernel_loops.hpp"
#include "core/kernels.hpp"
#include "core/small_float_order.hpp"
#include "core/visit_reduction.hpp"

// Which loops serve which cell of the table of reductions.

namespace tutti {

/// For what the architecture always has.
struct Baseline {
  template <class Loop>
  static void run(const void* left, const void* right, void* out, std::size_t count,
                  const KernelContext& context) {
    Loop::template run<LaneConverter>(left, right, out, count, context);
  }
  template <class Loop>
  static constexpr Kernel kernel() noexcept {
    return run<Loop>;
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
  using Pair = CombineLoop<kind, T, false, false>;
  using Stream = std::conditional_t<has_streaming_stores, StreamLoop<Pair>, Pair>;
  return {lanes,
          sizeof(T),
          sizeof(Partial),
          Target::template kernel<Pair>(),
          Target::template kernel<Stream>(),
          Target::template kernel<CombineLoop<kind, T, false, to_partial>>(),
          Target::template kernel<CombineLoop<kind, T, from_partial, to_partial>>(),
          Target::template kernel<CombineLoop<kind, T, from_partial, false>>(),
          Baseline::kernel<WidenLoop<kind, T>>(),
          Baseline::kernel<StoreLoop<kind, T>>()};
}

template <class Target, ReduceOp::Kind kind, class T>
Kernels make_order_kernels() noexcept {
  using Loop = OrderLoop<kind, T>;
  using Stream = std::conditional_t<has_streaming_stores, StreamLoop<Loop>, Loop>;
  constexpr Kernel step = Target::template kernel<Loop>();
  constexpr Kernel copy = Baseline::kernel<OrderCopyLoop<kind, T>>();
  return {1,    sizeof(T), sizeof(T), step, Target::template kernel<Stream>(),
          step, step,      step,      copy, copy};
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
  } else if constexpr (is_small_float_v<T> && (kind == Kind::min || kind == Kind::max)) {
    return make_order_kernels<Target, kind, T>();
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
