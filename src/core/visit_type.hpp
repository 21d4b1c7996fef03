#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tutti/types.hpp"

namespace tutti {

template <class T>
struct TypeTag {
  using type = T;
};

template <class T>
inline constexpr bool is_complex_v = false;
template <class T>
inline constexpr bool is_complex_v<std::complex<T>> = true;

/// Calls `visitor(TypeTag<T>{})` with the C++ type that stores elements of `type`.
template <class Visitor>
decltype(auto) visit_type(DataType type, Visitor&& visitor) {
  switch (type) {
    case DataType::int8:
      return visitor(TypeTag<std::int8_t>{});
    case DataType::uint8:
      return visitor(TypeTag<std::uint8_t>{});
    case DataType::int16:
      return visitor(TypeTag<std::int16_t>{});
    case DataType::uint16:
      return visitor(TypeTag<std::uint16_t>{});
    case DataType::int32:
      return visitor(TypeTag<std::int32_t>{});
    case DataType::uint32:
      return visitor(TypeTag<std::uint32_t>{});
    case DataType::int64:
      return visitor(TypeTag<std::int64_t>{});
    case DataType::uint64:
      return visitor(TypeTag<std::uint64_t>{});
    case DataType::float16:
      return visitor(TypeTag<float16>{});
    case DataType::bfloat16:
      return visitor(TypeTag<bfloat16>{});
    case DataType::float32:
      return visitor(TypeTag<float>{});
    case DataType::float64:
      return visitor(TypeTag<double>{});
    case DataType::complex64:
      return visitor(TypeTag<std::complex<float>>{});
    case DataType::complex128:
      return visitor(TypeTag<std::complex<double>>{});
    case DataType::float8_e4m3:
      return visitor(TypeTag<float8_e4m3>{});
    case DataType::float8_e5m2:
      return visitor(TypeTag<float8_e5m2>{});
    case DataType::boolean:
      return visitor(TypeTag<bool>{});
    case DataType::byte:
      return visitor(TypeTag<std::byte>{});
  }
  __builtin_unreachable();
}

}  // namespace tutti
