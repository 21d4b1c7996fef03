#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>

#include "tutti/detail/export.hpp"
#include "tutti/types.hpp"

namespace tutti {

/// How elements are combined. A small value; views the scalar's device memory or the user's
/// function, which must outlive the operation.
///
/// The arithmetic is the library's promise on every backend:
/// - integer sum and prod wrap modulo 2^bits; integer avg is the exact mean, truncated toward zero;
/// - min and max: any NaN among the inputs gives NaN; -0 orders before +0;
/// - float16, bfloat16 and the 8-bit floats reduce in float and round once;
/// - bool: sum and max are or, prod and min are and;
/// - logical reductions give 0 or 1 in the data's own type;
/// - on device memory that NCCL reduces, float16, bfloat16 and the 8-bit floats are rounded after
///   each step instead, and avg of floating point multiplies by 1/n before it adds;
/// - every rank gets the same bits; a NaN result is the quiet NaN, its sign and payload not kept.
class ReduceOp {
 public:
  enum class Kind : std::uint8_t {
    sum,
    prod,
    min,
    max,
    avg,
    logical_and,
    logical_or,
    logical_xor,
    bitwise_and,
    bitwise_or,
    bitwise_xor,
    pre_multiplied,  ///< sum of scalar x element
    user,
  };

  /// A user's function, type-erased: right[i] = left[i] o right[i] for i < count.
  struct UserFunction {
    void (*apply)(const void* context, const void* left, void* right, std::size_t count) = nullptr;
    const void* context = nullptr;
    DataType type = DataType::byte;
    bool commutative = false;
  };

  constexpr explicit ReduceOp(Kind kind) noexcept : kind_(kind) {}

  constexpr Kind kind() const noexcept { return kind_; }

  /// The scalar of `pre_multiplied`: one element of `scalar_type()`, on the host or on the device.
  constexpr DataType scalar_type() const noexcept { return scalar_type_; }
  const void* host_scalar() const noexcept { return scalar_; }
  constexpr const void* device_scalar() const noexcept { return pointer_; }

  /// Valid for `Kind::user` only.
  const UserFunction& user_function() const noexcept {
    return *static_cast<const UserFunction*>(pointer_);
  }

 private:
  template <class T>
  friend ReduceOp pre_multiplied(T scalar);
  template <class T>
  friend ReduceOp pre_multiplied_on_device(const T* scalar) noexcept;
  template <class T>
  friend class UserReduction;

  Kind kind_;
  DataType scalar_type_ = DataType::byte;
  alignas(8) unsigned char scalar_[16] = {};
  const void* pointer_ = nullptr;
};

inline constexpr ReduceOp sum{ReduceOp::Kind::sum};
inline constexpr ReduceOp prod{ReduceOp::Kind::prod};
inline constexpr ReduceOp min{ReduceOp::Kind::min};
inline constexpr ReduceOp max{ReduceOp::Kind::max};
inline constexpr ReduceOp avg{ReduceOp::Kind::avg};
inline constexpr ReduceOp logical_and{ReduceOp::Kind::logical_and};
inline constexpr ReduceOp logical_or{ReduceOp::Kind::logical_or};
inline constexpr ReduceOp logical_xor{ReduceOp::Kind::logical_xor};
inline constexpr ReduceOp bitwise_and{ReduceOp::Kind::bitwise_and};
inline constexpr ReduceOp bitwise_or{ReduceOp::Kind::bitwise_or};
inline constexpr ReduceOp bitwise_xor{ReduceOp::Kind::bitwise_xor};

inline constexpr ReduceOp::Kind all_reduce_kinds[] = {
    ReduceOp::Kind::sum,        ReduceOp::Kind::prod,        ReduceOp::Kind::min,
    ReduceOp::Kind::max,        ReduceOp::Kind::avg,         ReduceOp::Kind::logical_and,
    ReduceOp::Kind::logical_or, ReduceOp::Kind::logical_xor, ReduceOp::Kind::bitwise_and,
    ReduceOp::Kind::bitwise_or, ReduceOp::Kind::bitwise_xor, ReduceOp::Kind::pre_multiplied,
    ReduceOp::Kind::user,
};

/// Sum of `scalar` x element, the product taken before the sum. The scalar is converted to the
/// data's type, which must hold its value but for rounding: 0.5 with integers and 1e300 with float
/// are errors. Equal on all ranks.
template <class T>
ReduceOp pre_multiplied(T scalar) {
  static_assert(is_element_v<T>, "tutti: pre_multiplied takes a number of a type that tutti knows");
  ReduceOp op(ReduceOp::Kind::pre_multiplied);
  op.scalar_type_ = data_type_v<T>;
  __builtin_memcpy(op.scalar_, &scalar, sizeof scalar);
  return op;
}

/// The same with a scalar in device memory, read when the operation runs. The data is of its type,
/// and device memory too.
template <class T>
ReduceOp pre_multiplied_on_device(const T* scalar) noexcept {
  static_assert(is_element_v<T>, "tutti: pre_multiplied takes a number of a type that tutti knows");
  ReduceOp op(ReduceOp::Kind::pre_multiplied);
  op.scalar_type_ = data_type_v<T>;
  op.pointer_ = scalar;
  return op;
}

/// Whether a user's function may be applied in another order than that of the ranks.
enum class Commutes : bool { no, yes };

/// A reduction by a function of the user's own, `T f(T left, T right)`, associative, on host
/// memory: the result is x0 o x1 o x2 ... in rank order. Pass the object where a `ReduceOp` is
/// taken; it must outlive the operation. Equal on all ranks; `f` must not call tutti, and
/// should not throw: the exception comes out of the call on this rank and breaks its communicator.
///
///   tutti::UserReduction<double> longest([](double a, double b) { return std::hypot(a, b); });
///   world.all_reduce(x, longest);
template <class T>
class UserReduction {
 public:
  static_assert(is_element_v<T>, "tutti: a user's reduction works on a type that tutti knows");

  explicit UserReduction(std::function<T(T, T)> function, Commutes commutes = Commutes::no)
      : function_(std::move(function)),
        erased_{apply, this, data_type_v<T>, commutes == Commutes::yes} {}
  UserReduction(const UserReduction&) = delete;  // operations view this object
  UserReduction& operator=(const UserReduction&) = delete;

  operator ReduceOp() const noexcept {  // NOLINT: usable wherever a ReduceOp is
    ReduceOp op(ReduceOp::Kind::user);
    op.pointer_ = &erased_;
    return op;
  }

 private:
  static void apply(const void* context, const void* left, void* right, std::size_t count) {
    const auto& function = static_cast<const UserReduction*>(context)->function_;
    const T* const l = static_cast<const T*>(left);
    T* const r = static_cast<T*>(right);
    for (std::size_t i = 0; i < count; ++i) r[i] = function(l[i], r[i]);
  }

  std::function<T(T, T)> function_;
  ReduceOp::UserFunction erased_;
};

/// "sum", "logical_and", ...
TUTTI_API std::string_view to_string(ReduceOp::Kind kind) noexcept;

/// The table of reductions: true where `kind` is defined on `type`. The same for every backend.
TUTTI_API bool reducible(ReduceOp::Kind kind, DataType type) noexcept;

}  // namespace tutti
