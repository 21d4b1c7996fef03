#pragma once

#include <cstddef>
#include <iterator>

#include "core/isa.hpp"
#include "tutti/reduce_op.hpp"

namespace tutti {

/// What a kernel needs besides its arrays.
struct KernelContext {
  const void* scalar = nullptr;  ///< of pre_multiplied, in the data's type
  std::size_t n = 1;             ///< arrays of the whole reduction: the divisor of avg
};

/// out[i] = left[i] o right[i]. `out` may be `left` or `right`, at equal pointers.
using Kernel = void (*)(const void* left, const void* right, void* out, std::size_t count,
                        const KernelContext& context);

/// The loops of one reduction on one type. A partial result is wider than the data where
/// `combines_in_storage` is false; partial results of small floats have an order of their own, and
/// room for a multiple of 64.
struct Kernels {
  std::size_t lanes = 0;         ///< an element of data counts as so many
  std::size_t lane_size = 0;     ///< bytes of data
  std::size_t partial_size = 0;  ///< bytes of a partial result
  Kernel pair = nullptr;         ///< data, data -> result
  Kernel stream = nullptr;       ///< `pair` past the caches: out aligned, whole blocks, no input
  Kernel begin = nullptr;        ///< data, data -> partial
  Kernel more = nullptr;         ///< partial, data -> partial
  Kernel last = nullptr;         ///< partial, data -> result
  Kernel widen = nullptr;        ///< data (left) -> partial
  Kernel store = nullptr;        ///< partial (left) -> result
};

inline constexpr std::size_t stream_alignment = 64;
inline constexpr std::size_t stream_block = 256;  // bytes; more of them at once measures worse

struct KernelTable {
  Kernels cells[std::size(all_reduce_kinds)][std::size(all_data_types)];
};

/// Without `pair` where the table of reductions has no such cell, and for `user`.
const Kernels& kernels(const KernelTable& table, ReduceOp::Kind kind, DataType type) noexcept;

/// Null if this machine cannot run them.
const KernelTable* kernel_table(Isa isa) noexcept;

/// Those of TUTTI_ISA, else the widest that this machine can run. Found once.
const KernelTable& chosen_kernel_table() noexcept;

}  // namespace tutti
