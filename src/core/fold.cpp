#include "core/fold.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "core/arithmetic.hpp"
#include "core/kernels.hpp"
#include "core/reducible.hpp"
#include "core/scalar.hpp"
#include "core/visit_type.hpp"

namespace tutti {

namespace {

using Kind = ReduceOp::Kind;

const void* at(const void* array, std::size_t offset) noexcept {
  return static_cast<const unsigned char*>(array) + offset;
}
void* at(void* array, std::size_t offset) noexcept {
  return static_cast<unsigned char*>(array) + offset;
}

/// Bytes of partial results that one pass keeps; small enough to stay in the first-level cache.
inline constexpr std::size_t partial_bytes = 8192;

bool wants_only_the_last(void* const* outs, std::size_t n) noexcept {
  return outs[n - 1] != nullptr &&
         std::all_of(outs, outs + n - 1, [](const void* out) { return out == nullptr; });
}

/// A fold piece by piece, so that each array is read once and partial results stay in the cache.
struct PieceFold {
  const Kernels& with;
  const KernelContext& context;
  const void* const* arrays;
  void* const* outs;
  bool only_last;

  void run(std::size_t lanes) const {
    const std::size_t piece = partial_bytes / with.partial_size;
    for (std::size_t begin = 0; begin < lanes; begin += piece) {
      const std::size_t length = std::min(piece, lanes - begin);
      if (only_last && context.n > 2)
        reduce(begin * with.lane_size, length);
      else
        reduce_prefixes(begin * with.lane_size, length);
    }
  }

 private:
  void reduce(std::size_t offset, std::size_t length) const {
    alignas(64) unsigned char partial[partial_bytes];
    const std::size_t last = context.n - 1;
    with.begin(at(arrays[0], offset), at(arrays[1], offset), partial, length, context);
    for (std::size_t k = 2; k < last; ++k)
      with.more(partial, at(arrays[k], offset), partial, length, context);
    with.last(partial, at(arrays[last], offset), at(outs[last], offset), length, context);
  }

  void reduce_prefixes(std::size_t offset, std::size_t length) const {
    alignas(64) unsigned char partial[partial_bytes];
    for (std::size_t k = 0; k < context.n; ++k) {
      const void* const in = at(arrays[k], offset);
      if (k == 0)
        with.widen(in, nullptr, partial, length, context);
      else
        with.more(partial, in, partial, length, context);
      if (outs[k] != nullptr) with.store(partial, nullptr, at(outs[k], offset), length, context);
    }
  }
};

/// Two arrays, with a result that goes past the caches as far as it can.
void stream_pair(const Kernels& with, const KernelContext& context, const void* left,
                 const void* right, void* out, std::size_t lanes) {
  const std::size_t beyond = reinterpret_cast<std::uintptr_t>(out) % stream_alignment;
  const std::size_t before = beyond == 0 ? 0 : stream_alignment - beyond;
  const std::size_t block = stream_block / with.lane_size;
  const std::size_t head = before / with.lane_size;
  if (out == left || out == right || before % with.lane_size != 0 || lanes < head + block)
    return with.pair(left, right, out, lanes, context);
  const std::size_t body = (lanes - head) / block * block, tail = lanes - head - body;
  const std::size_t end = before + body * with.lane_size;
  with.pair(left, right, out, head, context);
  with.stream(at(left, before), at(right, before), at(out, before), body, context);
  with.pair(at(left, end), at(right, end), at(out, end), tail, context);
}

void copy_alone(const void* array, void* out, std::size_t bytes) noexcept {
  if (out != nullptr && out != array && bytes != 0) std::memcpy(out, array, bytes);
}

/// Elements that a user's function gets at once.
inline constexpr std::size_t strip = 512;

// apply() stores into its right argument, so the partial result changes places every time.
void fold_by_user(const ReduceOp::UserFunction& user, const void* const* arrays, void* const* outs,
                  std::size_t n, std::size_t count) {
  const std::size_t size = size_of(user.type);
  alignas(16) unsigned char rooms[2][strip * 16];
  for (std::size_t begin = 0; begin < count; begin += strip) {
    const std::size_t length = std::min(strip, count - begin);
    for (std::size_t k = 0; k < n; ++k) {
      unsigned char* const partial = rooms[k % 2];
      std::memcpy(partial, at(arrays[k], begin * size), length * size);
      if (k != 0) user.apply(user.context, rooms[(k + 1) % 2], partial, length);
      if (outs[k] != nullptr) std::memcpy(at(outs[k], begin * size), partial, length * size);
    }
  }
}

}  // namespace

bool stays_as_it_is(Kind kind, DataType type) noexcept {
  const bool makes_truth_values =
      kind == Kind::logical_and || kind == Kind::logical_or || kind == Kind::logical_xor;
  return combines_in_storage(kind, type) && kind != Kind::avg && !makes_truth_values &&
         type != DataType::boolean;
}

CombineFunction combine_function(Kind kind, DataType type) noexcept {
  if (!is_reducible(kind, type) || !combines_in_storage(kind, type)) return {};
  // The division of an avg is a step of its own.
  const Kernels& found = kernels(chosen_kernel_table(), kind == Kind::avg ? Kind::sum : kind, type);
  return {found.pair, found.lanes};
}

void divide_by(std::size_t n, DataType type, void* data, std::size_t count) noexcept {
  visit_type(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_floating_point_v<T> || is_complex_v<T>) {
      T* const values = static_cast<T*>(data);
      for (std::size_t i = 0; i < count; ++i) values[i] = with_one_nan(divide(values[i], n));
    }
  });
}

void fold(const KernelTable& table, const ReduceOp& op, DataType type, const void* const* arrays,
          void* const* outs, std::size_t n, std::size_t count, Stores stores) {
  if (op.kind() == Kind::user) return fold_by_user(op.user_function(), arrays, outs, n, count);
  if (n == 1 && stays_as_it_is(op.kind(), type))
    return copy_alone(arrays[0], outs[0], count * size_of(type));
  alignas(16) unsigned char scalar[16];
  if (op.kind() == Kind::pre_multiplied) convert_scalar(op, type, scalar);
  const Kernels& with = kernels(table, op.kind(), type);
  const KernelContext context{scalar, n};
  if (n == 2 && outs[0] == nullptr && outs[1] != nullptr) {
    if (stores == Stores::streamed)
      return stream_pair(with, context, arrays[0], arrays[1], outs[1], count * with.lanes);
    return with.pair(arrays[0], arrays[1], outs[1], count * with.lanes, context);
  }
  const PieceFold fold{with, context, arrays, outs, wants_only_the_last(outs, n)};
  fold.run(count * with.lanes);
}

void fold(const ReduceOp& op, DataType type, const void* const* arrays, void* const* outs,
          std::size_t n, std::size_t count, Stores stores) {
  fold(chosen_kernel_table(), op, type, arrays, outs, n, count, stores);
}

}  // namespace tutti
