#include "core/fold.hpp"

#include <algorithm>
#include <cstring>

#include "core/arithmetic.hpp"
#include "core/reducible.hpp"
#include "core/scalar.hpp"

namespace tutti {

namespace {

using Kind = ReduceOp::Kind;

/// Calls `visitor.template operator()<kind, T>()` for the pair, if it is in the table of
/// reductions.
template <Kind kind, class Visitor>
void visit_reducible_type(DataType type, Visitor& visitor) {
  visit_type(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (is_reducible(kind, data_type_v<T>)) visitor.template operator()<kind, T>();
  });
}

template <class Visitor>
void visit_reduction(Kind kind, DataType type, Visitor&& visitor) {
  switch (kind) {
    case Kind::sum:
      return visit_reducible_type<Kind::sum>(type, visitor);
    case Kind::prod:
      return visit_reducible_type<Kind::prod>(type, visitor);
    case Kind::min:
      return visit_reducible_type<Kind::min>(type, visitor);
    case Kind::max:
      return visit_reducible_type<Kind::max>(type, visitor);
    case Kind::avg:
      return visit_reducible_type<Kind::avg>(type, visitor);
    case Kind::logical_and:
      return visit_reducible_type<Kind::logical_and>(type, visitor);
    case Kind::logical_or:
      return visit_reducible_type<Kind::logical_or>(type, visitor);
    case Kind::logical_xor:
      return visit_reducible_type<Kind::logical_xor>(type, visitor);
    case Kind::bitwise_and:
      return visit_reducible_type<Kind::bitwise_and>(type, visitor);
    case Kind::bitwise_or:
      return visit_reducible_type<Kind::bitwise_or>(type, visitor);
    case Kind::bitwise_xor:
      return visit_reducible_type<Kind::bitwise_xor>(type, visitor);
    case Kind::pre_multiplied:
      return visit_reducible_type<Kind::pre_multiplied>(type, visitor);
    case Kind::user:
      return;  // has no arithmetic of ours
  }
  __builtin_unreachable();
}

// bool arrays may hold any byte: what the application stored there is not ours to trust.
template <class T>
using Stored = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;

template <class A, class T>
A load(const Stored<T>& stored) noexcept {
  if constexpr (std::is_same_v<T, bool>)
    return stored != 0;
  else
    return static_cast<A>(stored);
}

template <Kind kind, class T>
void combine_arrays(const void* left, void* right, std::size_t count) {
  const auto* const l = static_cast<const Stored<T>*>(left);
  auto* const r = static_cast<Stored<T>*>(right);
  for (std::size_t i = 0; i < count; ++i)
    r[i] = static_cast<Stored<T>>(combine<kind, T>(load<T, T>(l[i]), load<T, T>(r[i])));
}

/// Elements that one pass keeps in accumulators; small enough to stay in the first-level cache.
inline constexpr std::size_t strip = 512;

template <Kind kind, class T>
struct StripFold {
  using A = Accumulator<kind, T>;
  using S = Stored<T>;

  static A prepared(const S& stored, [[maybe_unused]] A scalar) noexcept {
    if constexpr (kind == Kind::pre_multiplied)
      return multiply(scalar, load<A, T>(stored));
    else
      return load<A, T>(stored);
  }

  static S finished(A value, [[maybe_unused]] std::size_t n) noexcept {
    if constexpr (kind == Kind::avg) value = divide(value, n);
    if constexpr (kind == Kind::logical_and || kind == Kind::logical_or ||
                  kind == Kind::logical_xor)
      return static_cast<S>(value != A{});
    else
      return static_cast<S>(value);
  }

  static void run(A scalar, const void* const* arrays, void* const* outs, std::size_t n,
                  std::size_t begin, std::size_t length) noexcept {
    A partial[strip];
    for (std::size_t k = 0; k < n; ++k) {
      const S* const in = static_cast<const S*>(arrays[k]) + begin;
      if (k == 0)
        for (std::size_t i = 0; i < length; ++i) partial[i] = prepared(in[i], scalar);
      else
        for (std::size_t i = 0; i < length; ++i)
          partial[i] = combine<kind, A>(partial[i], prepared(in[i], scalar));
      if (outs[k] == nullptr) continue;
      S* const out = static_cast<S*>(outs[k]) + begin;
      for (std::size_t i = 0; i < length; ++i) out[i] = finished(partial[i], n);
    }
  }
};

template <Kind kind, class T>
void fold_arrays(const ReduceOp& op, DataType type, const void* const* arrays, void* const* outs,
                 std::size_t n, std::size_t count) {
  using A = Accumulator<kind, T>;
  A scalar{};
  if constexpr (kind == Kind::pre_multiplied) {
    T converted{};
    convert_scalar(op, type, &converted);
    scalar = static_cast<A>(converted);
  }
  for (std::size_t begin = 0; begin < count; begin += strip)
    StripFold<kind, T>::run(scalar, arrays, outs, n, begin, std::min(strip, count - begin));
}

const void* at(const void* array, std::size_t offset) noexcept {
  return static_cast<const unsigned char*>(array) + offset;
}
void* at(void* array, std::size_t offset) noexcept {
  return static_cast<unsigned char*>(array) + offset;
}

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

CombineFunction combine_function(Kind kind, DataType type) noexcept {
  CombineFunction found = nullptr;
  visit_reduction(kind, type, [&]<Kind k, class T>() {
    if constexpr (combines_in_storage(k, data_type_v<T>)) found = combine_arrays<k, T>;
  });
  return found;
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

void fold(const ReduceOp& op, DataType type, const void* const* arrays, void* const* outs,
          std::size_t n, std::size_t count) {
  if (op.kind() == Kind::user) return fold_by_user(op.user_function(), arrays, outs, n, count);
  visit_reduction(op.kind(), type,
                  [&]<Kind k, class T>() { fold_arrays<k, T>(op, type, arrays, outs, n, count); });
}

}  // namespace tutti
