#include "support/elements.hpp"

#include "support/formats.hpp"

namespace tutti::test {
bool is_integer(DataType type) {
  return static_cast<int>(type) <= static_cast<int>(DataType::uint64);
}

bool is_real(DataType type) {
  return type == DataType::float32 || type == DataType::float64 || is_small_float(type);
}

bool is_complex(DataType type) {
  return type == DataType::complex64 || type == DataType::complex128;
}

std::size_t element_size(DataType type) {
  switch (type) {
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
    default:
      return 1;
  }
}

std::size_t element_alignment(DataType type) {
  return is_complex(type) ? element_size(type) / 2 : element_size(type);
}

double load_real(DataType type, const std::byte* from) {
  if (type == DataType::float64) return load<double>(from);
  if (type == DataType::float32) return static_cast<double>(load<float>(from));
  return decode(type,
                element_size(type) == 1 ? load<std::uint8_t>(from) : load<std::uint16_t>(from));
}

void store_real(DataType type, double value, std::byte* to) {
  if (type == DataType::float64) {
    std::memcpy(to, &value, sizeof value);
  } else if (type == DataType::float32) {
    const auto single = static_cast<float>(value);
    std::memcpy(to, &single, sizeof single);
  } else {
    const std::uint32_t bits = encode(type, value);
    for (std::size_t i = 0; i < element_size(type); ++i)  // little-endian
      to[i] = static_cast<std::byte>(bits >> (8 * i) & 0xff);
  }
}

std::complex<double> load_complex(DataType type, const std::byte* from) {
  if (type == DataType::complex128) return load<std::complex<double>>(from);
  return std::complex<double>(load<std::complex<float>>(from));
}

void store_complex(DataType type, std::complex<double> value, std::byte* to) {
  const DataType part = type == DataType::complex64 ? DataType::float32 : DataType::float64;
  store_real(part, value.real(), to);
  store_real(part, value.imag(), to + element_size(part));
}

}  // namespace tutti::test
