#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>

#include "tutti/types.hpp"

// Elements of run-time type, read and written through plain numbers.
namespace tutti::test {

/// Bytes of one element, and the alignment that C++ gives it.
std::size_t element_size(DataType type);
std::size_t element_alignment(DataType type);

bool is_integer(DataType type);
bool is_real(DataType type);
bool is_complex(DataType type);

double load_real(DataType type, const std::byte* from);
/// Rounds to the type, to nearest with ties to even.
void store_real(DataType type, double value, std::byte* to);

std::complex<double> load_complex(DataType type, const std::byte* from);
void store_complex(DataType type, std::complex<double> value, std::byte* to);

template <class T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

/// Calls with a zero of the integer type.
template <class Call>
void with_integer(DataType type, Call call) {
  switch (type) {
    case DataType::int8:
      return call(std::int8_t{});
    case DataType::uint8:
      return call(std::uint8_t{});
    case DataType::int16:
      return call(std::int16_t{});
    case DataType::uint16:
      return call(std::uint16_t{});
    case DataType::int32:
      return call(std::int32_t{});
    case DataType::uint32:
      return call(std::uint32_t{});
    case DataType::int64:
      return call(std::int64_t{});
    case DataType::uint64:
      return call(std::uint64_t{});
    default:
      throw std::logic_error("not an integer type");
  }
}

}  // namespace tutti::test
