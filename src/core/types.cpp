#include "tutti/types.hpp"

namespace tutti {

std::string_view to_string(DataType type) noexcept {
  switch (type) {
    case DataType::int8:
      return "int8";
    case DataType::uint8:
      return "uint8";
    case DataType::int16:
      return "int16";
    case DataType::uint16:
      return "uint16";
    case DataType::int32:
      return "int32";
    case DataType::uint32:
      return "uint32";
    case DataType::int64:
      return "int64";
    case DataType::uint64:
      return "uint64";
    case DataType::float16:
      return "float16";
    case DataType::bfloat16:
      return "bfloat16";
    case DataType::float32:
      return "float32";
    case DataType::float64:
      return "float64";
    case DataType::complex64:
      return "complex64";
    case DataType::complex128:
      return "complex128";
    case DataType::float8_e4m3:
      return "float8_e4m3";
    case DataType::float8_e5m2:
      return "float8_e5m2";
    case DataType::boolean:
      return "bool";
    case DataType::byte:
      return "byte";
  }
  __builtin_unreachable();
}

}  // namespace tutti
