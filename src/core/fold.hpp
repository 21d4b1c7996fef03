#pragma once

#include <cstddef>

#include "core/kernels.hpp"
#include "tutti/reduce_op.hpp"

namespace tutti {

/// right[i] = left[i] o right[i], every partial result stored in the data's own type.
struct CombineFunction {
  Kernel kernel = nullptr;
  std::size_t lanes = 0;

  void operator()(const void* left, void* right, std::size_t count) const {
    kernel(left, right, right, count * lanes, {});
  }
  bool operator==(std::nullptr_t) const noexcept { return kernel == nullptr; }
};

/// Null where partial results need more than the data's type: small floats and integer avg, which
/// `fold` accumulates wider; scalars and user functions, which have state. For avg: the sum only,
/// `divide_by` is its last step.
CombineFunction combine_function(ReduceOp::Kind kind, DataType type) noexcept;

/// data[i] /= n for a type whose avg has a combine function.
void divide_by(std::size_t n, DataType type, void* data, std::size_t count) noexcept;

/// Whether one array alone is its own reduction, bit for bit.
bool stays_as_it_is(ReduceOp::Kind kind, DataType type) noexcept;

/// Where the result of two arrays goes: to the caches, or past them to memory, which is then
/// written without being read first.
enum class Stores : bool { cached, streamed };

/// For a result of so many bytes in all, which may be folded piece by piece. From about 16 MiB on
/// the arrays are larger than the caches, and streaming took 20 to 40 % off the time of float32
/// sums; a smaller result is better where its reader finds it.
constexpr Stores stores_for(std::size_t bytes) noexcept {
  return bytes >= std::size_t{16} << 20 ? Stores::streamed : Stores::cached;
}

/// The reduction of `n` arrays in their order, from left to right: x0 o x1 o ... Stores what has
/// been reduced after array i into outs[i] wherever that is not null: the last one is the whole
/// reduction, the others are its prefixes. An out may be the array of its own
/// position or an earlier one, at equal pointers; where only the last is wanted, any array. avg
/// divides by n.
void fold(const ReduceOp& op, DataType type, const void* const* arrays, void* const* outs,
          std::size_t n, std::size_t count, Stores stores = Stores::cached);

/// The same with the kernels of another instruction set.
void fold(const KernelTable& table, const ReduceOp& op, DataType type, const void* const* arrays,
          void* const* outs, std::size_t n, std::size_t count, Stores stores = Stores::cached);

}  // namespace tutti
