#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tutti/detail/export.hpp"

namespace tutti {

/// Element types that every operation can move. Which of them a reduction accepts: see `reducible`.
enum class DataType : std::uint8_t {
  int8,
  uint8,
  int16,
  uint16,
  int32,
  uint32,
  int64,
  uint64,
  float16,
  bfloat16,
  float32,
  float64,
  complex64,
  complex128,
  float8_e4m3,
  float8_e5m2,
  boolean,  ///< `bool`, one byte, 0 or 1
  byte,     ///< `std::byte`: moved, never reduced
};

inline constexpr DataType all_data_types[] = {
    DataType::int8,      DataType::uint8,      DataType::int16,       DataType::uint16,
    DataType::int32,     DataType::uint32,     DataType::int64,       DataType::uint64,
    DataType::float16,   DataType::bfloat16,   DataType::float32,     DataType::float64,
    DataType::complex64, DataType::complex128, DataType::float8_e4m3, DataType::float8_e5m2,
    DataType::boolean,   DataType::byte,
};

/// Bytes of one element.
constexpr std::size_t size_of(DataType type) noexcept {
  switch (type) {
    case DataType::int8:
    case DataType::uint8:
    case DataType::float8_e4m3:
    case DataType::float8_e5m2:
    case DataType::boolean:
    case DataType::byte:
      return 1;
    case DataType::int16:
    case DataType::uint16:
    case DataType::float16:
    case DataType::bfloat16:
      return 2;
    case DataType::int32:
    case DataType::uint32:
    case DataType::float32:
      return 4;
    case DataType::int64:
    case DataType::uint64:
    case DataType::float64:
    case DataType::complex64:
      return 8;
    case DataType::complex128:
      return 16;
  }
  __builtin_unreachable();
}
/// "float32", "bool", ...: the names that tools and messages use.
TUTTI_API std::string_view to_string(DataType type) noexcept;

}  // namespace tutti
