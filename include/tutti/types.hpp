#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tutti/data_type.hpp"
#include "tutti/small_floats.hpp"

// CUDA's own small floats, known by name only: no CUDA header is needed here.
struct __half;
struct __nv_bfloat16;
struct __nv_fp8_e4m3;
struct __nv_fp8_e5m2;

namespace tutti {

/// Maps a C++ type to its `DataType`: `data_type_of<T>::value`. Every standard integer and floating
/// type of a listed size has one; `wchar_t`, the `charN_t` and `long double` have none. Specialise
/// it for a type of your own that is bit for bit one of the listed types.
template <class T, class = void>
struct data_type_of {};

namespace detail {

template <DataType type>
using TypeConstant = std::integral_constant<DataType, type>;

template <class T>
inline constexpr bool is_character_code =
    std::is_same_v<T, wchar_t> || std::is_same_v<T, char16_t> ||
#ifdef __cpp_char8_t
    std::is_same_v<T, char8_t> ||
#endif
    std::is_same_v<T, char32_t>;

template <class T, class = void>
inline constexpr bool is_wire_integer = false;
template <class T>
inline constexpr bool is_wire_integer<T, std::enable_if_t<std::is_integral_v<T>>> =
    !is_character_code<T> && !std::is_same_v<T, bool> && sizeof(T) <= 8;

constexpr DataType integer_type(std::size_t size, bool is_signed) noexcept {
  constexpr DataType by_size[] = {DataType::int8, DataType::int16, DataType::int32,
                                  DataType::int64};
  constexpr DataType unsigned_by_size[] = {DataType::uint8, DataType::uint16, DataType::uint32,
                                           DataType::uint64};
  const int index = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3;
  return is_signed ? by_size[index] : unsigned_by_size[index];
}

}  // namespace detail

template <class T>
struct data_type_of<T, std::enable_if_t<detail::is_wire_integer<T>>>
    : detail::TypeConstant<detail::integer_type(sizeof(T), std::is_signed_v<T>)> {};

template <>
struct data_type_of<float16> : detail::TypeConstant<DataType::float16> {};
template <>
struct data_type_of<bfloat16> : detail::TypeConstant<DataType::bfloat16> {};
template <>
struct data_type_of<float> : detail::TypeConstant<DataType::float32> {};
template <>
struct data_type_of<double> : detail::TypeConstant<DataType::float64> {};
template <>
struct data_type_of<std::complex<float>> : detail::TypeConstant<DataType::complex64> {};
template <>
struct data_type_of<std::complex<double>> : detail::TypeConstant<DataType::complex128> {};
template <>
struct data_type_of<float8_e4m3> : detail::TypeConstant<DataType::float8_e4m3> {};
template <>
struct data_type_of<float8_e5m2> : detail::TypeConstant<DataType::float8_e5m2> {};
template <>
struct data_type_of<bool> : detail::TypeConstant<DataType::boolean> {};
template <>
struct data_type_of<std::byte> : detail::TypeConstant<DataType::byte> {};

template <>
struct data_type_of<::__half> : detail::TypeConstant<DataType::float16> {};
template <>
struct data_type_of<::__nv_bfloat16> : detail::TypeConstant<DataType::bfloat16> {};
template <>
struct data_type_of<::__nv_fp8_e4m3> : detail::TypeConstant<DataType::float8_e4m3> {};
template <>
struct data_type_of<::__nv_fp8_e5m2> : detail::TypeConstant<DataType::float8_e5m2> {};

// The compiler's own, which are also std::float16_t, std::bfloat16_t, std::float32_t, float64_t.
#if defined(__FLT16_MAX__) && (!defined(__GNUC__) || defined(__clang__) || __GNUC__ >= 13)
template <>
struct data_type_of<_Float16> : detail::TypeConstant<DataType::float16> {};
#endif
#ifdef __STDCPP_BFLOAT16_T__
template <>
struct data_type_of<decltype(0.0bf16)> : detail::TypeConstant<DataType::bfloat16> {};
#endif
#ifdef __STDCPP_FLOAT32_T__
template <>
struct data_type_of<decltype(0.0f32)> : detail::TypeConstant<DataType::float32> {};
#endif
#ifdef __STDCPP_FLOAT64_T__
template <>
struct data_type_of<decltype(0.0f64)> : detail::TypeConstant<DataType::float64> {};
#endif

namespace detail {
template <class T, class = void>
inline constexpr bool has_data_type = false;
template <class T>
inline constexpr bool has_data_type<T, std::void_t<decltype(data_type_of<T>::value)>> = true;
}  // namespace detail

/// True for element types that tutti can move.
template <class T>
inline constexpr bool is_element_v = detail::has_data_type<std::remove_cv_t<T>>;

/// The `DataType` of an element type.
template <class T>
inline constexpr DataType data_type_v = data_type_of<std::remove_cv_t<T>>::value;

}  // namespace tutti
