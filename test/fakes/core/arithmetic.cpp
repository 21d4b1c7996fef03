#include "core/arithmetic.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "core/small_float.hpp"

namespace fake {
namespace {

template <typename T>
struct Plain {
  using Storage = T;
  using Value = T;
  static T load(T stored) { return stored; }
  static T store(T value) { return value; }
};

template <typename Stored, SmallFormat (*Format)()>
struct Small {
  using Storage = Stored;
  using Value = double;
  static double load(Stored stored) { return decode(Format(), stored); }
  static Stored store(double value) { return static_cast<Stored>(encode(Format(), value)); }
};

constexpr SmallFormat half() {
  return half_format;
}
constexpr SmallFormat bfloat() {
  return bfloat16_format;
}
constexpr SmallFormat e4m3() {
  return e4m3_format;
}
constexpr SmallFormat e5m2() {
  return e5m2_format;
}

/** Calls `body` with the codec of the type. */
template <typename Body>
void with_type(ncclDataType_t type, Body&& body) {
  switch (type) {
    case ncclInt8:
      return body(Plain<std::int8_t>{});
    case ncclUint8:
      return body(Plain<std::uint8_t>{});
    case ncclInt32:
      return body(Plain<std::int32_t>{});
    case ncclUint32:
      return body(Plain<std::uint32_t>{});
    case ncclInt64:
      return body(Plain<std::int64_t>{});
    case ncclUint64:
      return body(Plain<std::uint64_t>{});
    case ncclFloat16:
      return body(Small<std::uint16_t, half>{});
    case ncclFloat32:
      return body(Plain<float>{});
    case ncclFloat64:
      return body(Plain<double>{});
    case ncclBfloat16:
      return body(Small<std::uint16_t, bfloat>{});
    case ncclFloat8e4m3:
      return body(Small<std::uint8_t, e4m3>{});
    case ncclFloat8e5m2:
      return body(Small<std::uint8_t, e5m2>{});
    case ncclNumTypes:
      return;
  }
}

template <typename T>
constexpr bool is_integer = std::is_integral_v<T>;

/** Integers wrap: computed without a sign, where overflow is defined. */
template <typename T>
T add(T a, T b) {
  if constexpr (is_integer<T>) {
    using Wide = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<Wide>(a) + static_cast<Wide>(b));
  } else {
    return a + b;
  }
}

template <typename T>
T multiply(T a, T b) {
  if constexpr (is_integer<T>) {
    return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  } else {
    return a * b;
  }
}

/** NCCL's min and max lose a NaN, as fmin and fmax do. */
template <typename T>
T least(T a, T b) {
  if constexpr (is_integer<T>) {
    return a < b ? a : b;
  } else {
    return std::fmin(a, b);
  }
}

template <typename T>
T greatest(T a, T b) {
  if constexpr (is_integer<T>) {
    return a < b ? b : a;
  } else {
    return std::fmax(a, b);
  }
}

template <typename T>
T apply(ncclRedOp_t op, T a, T b) {
  if (op == ncclProd) return multiply(a, b);
  if (op == ncclMin) return least(a, b);
  if (op == ncclMax) return greatest(a, b);
  return add(a, b);
}

template <typename Codec>
typename Codec::Value load_at(const void* data, std::size_t index) {
  typename Codec::Storage stored;
  std::memcpy(&stored, static_cast<const char*>(data) + index * sizeof stored, sizeof stored);
  return Codec::load(stored);
}

template <typename Codec>
void store_at(void* data, std::size_t index, typename Codec::Value value) {
  const typename Codec::Storage stored = Codec::store(value);
  std::memcpy(static_cast<char*>(data) + index * sizeof stored, &stored, sizeof stored);
}

template <typename Codec>
void scale(void* data, std::size_t count, typename Codec::Value factor) {
  for (std::size_t i = 0; i < count; ++i) {
    store_at<Codec>(data, i, multiply(load_at<Codec>(data, i), factor));
  }
}

}  // namespace

std::size_t type_size(ncclDataType_t type) {
  std::size_t size = 0;
  with_type(type, [&](auto codec) { size = sizeof(typename decltype(codec)::Storage); });
  return size;
}

void prepare(void* data, std::size_t count, ncclDataType_t type, const Reduction& reduction,
             int ranks) {
  with_type(type, [&](auto codec) {
    using Codec = decltype(codec);
    using Value = typename Codec::Value;
    if (reduction.op == ncclNumOps) {
      const void* scalar =
          reduction.device_scalar != nullptr ? reduction.device_scalar : reduction.scalar.data();
      scale<Codec>(data, count, load_at<Codec>(scalar, 0));
    } else if constexpr (!is_integer<Value>) {
      // Floating averages multiply by 1/n, itself rounded to the type, before they sum.
      const Value share = Codec::load(Codec::store(Value{1} / static_cast<Value>(ranks)));
      if (reduction.op == ncclAvg) scale<Codec>(data, count, share);
    }
  });
}

void combine(void* accumulator, const void* input, std::size_t count, ncclDataType_t type,
             const Reduction& reduction) {
  with_type(type, [&](auto codec) {
    using Codec = decltype(codec);
    for (std::size_t i = 0; i < count; ++i) {
      const auto result =
          apply(reduction.op, load_at<Codec>(accumulator, i), load_at<Codec>(input, i));
      store_at<Codec>(accumulator, i, result);
    }
  });
}

void finish(void* data, std::size_t count, ncclDataType_t type, const Reduction& reduction,
            int ranks) {
  if (reduction.op != ncclAvg) return;
  with_type(type, [&](auto codec) {
    using Codec = decltype(codec);
    using Value = typename Codec::Value;
    if constexpr (is_integer<Value>) {
      using Wide = std::conditional_t<std::is_signed_v<Value>, std::int64_t, std::uint64_t>;
      for (std::size_t i = 0; i < count; ++i) {
        const Wide sum = load_at<Codec>(data, i);
        store_at<Codec>(data, i, static_cast<Value>(sum / static_cast<Wide>(ranks)));
      }
    }
  });
}

}  // namespace fake
