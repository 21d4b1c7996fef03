#pragma once

#include <tutti/types.hpp>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "bench/pattern.hpp"

namespace tutti::bench {

template <class T>
inline constexpr bool is_complex = false;
template <class T>
inline constexpr bool is_complex<std::complex<T>> = true;

template <class T>
inline constexpr bool is_floating =
    std::is_floating_point_v<T> || std::is_same_v<T, float16> || std::is_same_v<T, bfloat16> ||
    std::is_same_v<T, float8_e4m3> || std::is_same_v<T, float8_e5m2>;

/// Bits of a floating-point type's significand, the leading one included.
template <class T>
constexpr int significand_bits() {
  if constexpr (std::is_same_v<T, float16>) return 11;
  if constexpr (std::is_same_v<T, bfloat16>) return 8;
  if constexpr (std::is_same_v<T, float8_e4m3>) return 4;
  if constexpr (std::is_same_v<T, float8_e5m2>) return 3;
  return std::numeric_limits<T>::digits;
}

/// Up to here every integer is exact in T.
template <class T>
constexpr double largest_exact() {
  return static_cast<double>(std::uint64_t{1} << significand_bits<T>());
}

/// Calls `function` with a null T* for the C++ type of `type`.
template <class Function>
decltype(auto) with_type(DataType type, Function&& function) {
  switch (type) {
    case DataType::int8:
      return function(static_cast<std::int8_t*>(nullptr));
    case DataType::uint8:
      return function(static_cast<std::uint8_t*>(nullptr));
    case DataType::int16:
      return function(static_cast<std::int16_t*>(nullptr));
    case DataType::uint16:
      return function(static_cast<std::uint16_t*>(nullptr));
    case DataType::int32:
      return function(static_cast<std::int32_t*>(nullptr));
    case DataType::uint32:
      return function(static_cast<std::uint32_t*>(nullptr));
    case DataType::int64:
      return function(static_cast<std::int64_t*>(nullptr));
    case DataType::uint64:
      return function(static_cast<std::uint64_t*>(nullptr));
    case DataType::float16:
      return function(static_cast<float16*>(nullptr));
    case DataType::bfloat16:
      return function(static_cast<bfloat16*>(nullptr));
    case DataType::float32:
      return function(static_cast<float*>(nullptr));
    case DataType::float64:
      return function(static_cast<double*>(nullptr));
    case DataType::complex64:
      return function(static_cast<std::complex<float>*>(nullptr));
    case DataType::complex128:
      return function(static_cast<std::complex<double>*>(nullptr));
    case DataType::float8_e4m3:
      return function(static_cast<float8_e4m3*>(nullptr));
    case DataType::float8_e5m2:
      return function(static_cast<float8_e5m2*>(nullptr));
    case DataType::boolean:
      return function(static_cast<bool*>(nullptr));
    case DataType::byte:
      return function(static_cast<std::byte*>(nullptr));
  }
  __builtin_unreachable();
}

}  // namespace tutti::bench
