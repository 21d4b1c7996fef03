#include "core/scalar.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "core/text.hpp"
#include "core/visit_type.hpp"

namespace tutti {

namespace {

// Wide enough for every 64-bit integer and every double.
struct Wide {
  long double real = 0;
  long double imaginary = 0;
};

template <class T>
Wide widen(const void* source) noexcept {
  T value;
  std::memcpy(&value, source, sizeof value);
  if constexpr (is_complex_v<T>)
    return {value.real(), value.imag()};
  else if constexpr (std::is_same_v<T, std::byte>)
    return {static_cast<long double>(static_cast<unsigned char>(value)), 0};
  else
    return {static_cast<long double>(value), 0};
}

// Inexact results get an odd last bit, so that rounding once more, to a small float, cannot take
// them for a tie.
float rounded_to_odd(long double value) noexcept {
  auto result = static_cast<float>(value);
  if (std::fabs(static_cast<long double>(result)) > std::fabs(value))
    result = std::nextafter(result, 0.F);
  if (static_cast<long double>(result) == value) return result;
  return __builtin_bit_cast(float, __builtin_bit_cast(std::uint32_t, result) | 1U);
}

template <class T>
constexpr long double largest_finite() noexcept {
  if constexpr (std::is_same_v<T, float16>)
    return 65504;
  else if constexpr (std::is_same_v<T, bfloat16>)
    return 0x1.fep127L;
  else if constexpr (std::is_same_v<T, float8_e4m3>)
    return 448;
  else if constexpr (std::is_same_v<T, float8_e5m2>)
    return 57344;
  else
    return std::numeric_limits<T>::max();
}

// What is lost is rounding, never the magnitude.
template <class T>
bool narrow_real(long double real, T& value) noexcept {
  if (std::isfinite(real) && std::fabs(real) > largest_finite<T>()) return false;
  if constexpr (std::is_floating_point_v<T>)
    value = static_cast<T>(real);
  else
    value = T(rounded_to_odd(real));
  return !std::isinf(real) || std::isinf(static_cast<double>(value));
}

template <class T>
bool narrow(const Wide& wide, void* out) noexcept {
  T value{};
  if constexpr (is_complex_v<T>) {
    typename T::value_type real{}, imaginary{};
    if (!narrow_real(wide.real, real) || !narrow_real(wide.imaginary, imaginary)) return false;
    value = T(real, imaginary);
  } else if constexpr (std::is_integral_v<T>) {
    const auto lowest = static_cast<long double>(std::numeric_limits<T>::lowest());
    const auto largest = static_cast<long double>(std::numeric_limits<T>::max());
    if (wide.imaginary != 0 || !(wide.real >= lowest && wide.real <= largest)) return false;
    if (std::trunc(wide.real) != wide.real) return false;
    value = static_cast<T>(wide.real);
  } else if constexpr (!std::is_same_v<T, std::byte>) {
    if (wide.imaginary != 0 || !narrow_real(wide.real, value)) return false;
  }
  std::memcpy(out, &value, sizeof value);
  return true;
}

Wide widened_scalar(const ReduceOp& op) noexcept {
  return visit_type(op.scalar_type(), [&](auto tag) {
    return widen<typename decltype(tag)::type>(op.host_scalar());
  });
}

}  // namespace

bool convert_scalar(const ReduceOp& op, DataType type, void* out) noexcept {
  const Wide wide = widened_scalar(op);
  return visit_type(type,
                    [&](auto tag) { return narrow<typename decltype(tag)::type>(wide, out); });
}

std::string scalar_text(const ReduceOp& op) {
  const Wide wide = widened_scalar(op);
  return wide.imaginary == 0 ? text(wide.real) : text('(', wide.real, ',', wide.imaginary, ')');
}

}  // namespace tutti
