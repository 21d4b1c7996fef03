#pragma once

#include <cstring>
#include <vector>

#include "support/reference.hpp"

namespace tutti::test {

/// The bytes of numbers, for areas.
template <class T>
Bytes bytes_of(const std::vector<T>& values) {
  Bytes result(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(result.data(), values.data(), result.size());
  return result;
}

template <class T>
std::vector<T> values_of(const Bytes& bytes) {
  std::vector<T> result(bytes.size() / sizeof(T));
  if (!result.empty()) std::memcpy(result.data(), bytes.data(), bytes.size());
  return result;
}

/// Real numbers, rounded to a type.
inline Bytes reals(DataType type, const std::vector<double>& values) {
  Bytes result(values.size() * element_size(type));
  for (std::size_t i = 0; i < values.size(); ++i)
    store_real(type, values[i], result.data() + i * element_size(type));
  return result;
}

}  // namespace tutti::test
