#include "support/reference.hpp"

#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <type_traits>

namespace tutti::test {
namespace {

using Kind = ReduceOp::Kind;
__extension__ using Int128 = __int128;

bool logical(Kind kind, bool a, bool b) {
  if (kind == Kind::logical_and) return a && b;
  if (kind == Kind::logical_or) return a || b;
  return a != b;
}

template <class T>
T integer_step(Kind kind, T a, T b) {
  const auto x = static_cast<std::uint64_t>(a);
  const auto y = static_cast<std::uint64_t>(b);
  switch (kind) {
    case Kind::prod:
      return static_cast<T>(x * y);
    case Kind::min:
      return b < a ? b : a;
    case Kind::max:
      return a < b ? b : a;
    case Kind::bitwise_and:
      return static_cast<T>(x & y);
    case Kind::bitwise_or:
      return static_cast<T>(x | y);
    case Kind::bitwise_xor:
      return static_cast<T>(x ^ y);
    case Kind::logical_and:
    case Kind::logical_or:
    case Kind::logical_xor:
      return static_cast<T>(logical(kind, a != 0, b != 0) ? 1 : 0);
    default:
      return static_cast<T>(x + y);
  }
}

template <class T>
T integer_mean(const std::vector<T>& values) {
  Int128 total = 0;
  for (const T value : values) total += value;
  return static_cast<T>(total / static_cast<Int128>(values.size()));
}

template <class T>
T integer_result(Kind kind, std::vector<T> values) {
  if (kind == Kind::avg) return integer_mean(values);
  if (kind == Kind::pre_multiplied)
    for (T& value : values) value = static_cast<T>(static_cast<std::uint64_t>(value) * 3);
  T result = values[0];
  for (std::size_t i = 1; i < values.size(); ++i) result = integer_step(kind, result, values[i]);
  // A single contribution is reduced as well: logical results are 0 or 1.
  if (kind >= Kind::logical_and && kind <= Kind::logical_xor) result = static_cast<T>(result != 0);
  return result;
}

// The lesser of two, -0 before +0; NaN if either is.
double lesser(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<double>::quiet_NaN();
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

double real_result(Kind kind, const std::vector<double>& values) {
  const double scale = kind == Kind::pre_multiplied ? -0.5 : 1;
  double result = scale * values[0];
  for (std::size_t i = 1; i < values.size(); ++i) {
    const double next = scale * values[i];
    if (kind == Kind::prod)
      result *= next;
    else if (kind == Kind::min)
      result = lesser(result, next);
    else if (kind == Kind::max)
      result = -lesser(-result, -next);
    else
      result += next;
  }
  return kind == Kind::avg ? result / static_cast<double>(values.size()) : result;
}

std::complex<double> complex_result(Kind kind, const std::vector<std::complex<double>>& values) {
  using Complex = std::complex<double>;
  const double scale = kind == Kind::pre_multiplied ? -0.5 : 1;
  Complex result = scale * values[0];
  for (std::size_t i = 1; i < values.size(); ++i) {
    const Complex b = scale * values[i];
    if (kind == Kind::prod)
      result = Complex(result.real() * b.real() - result.imag() * b.imag(),
                       result.real() * b.imag() + result.imag() * b.real());
    else
      result += b;
  }
  return kind == Kind::avg ? result / static_cast<double>(values.size()) : result;
}

bool boolean_result(Kind kind, const std::vector<bool>& values) {
  bool result = values[0];
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (kind == Kind::sum || kind == Kind::max)
      result = result || values[i];
    else if (kind == Kind::prod || kind == Kind::min)
      result = result && values[i];
    else if (kind == Kind::bitwise_and)
      result = result && values[i];
    else if (kind == Kind::bitwise_or)
      result = result || values[i];
    else if (kind == Kind::bitwise_xor)
      result = result != values[i];
    else
      result = logical(kind, result, values[i]);
  }
  return result;
}

void reduce_element(DataType type, Kind kind, const std::vector<Bytes>& inputs, std::size_t at,
                    std::byte* out) {
  if (is_complex(type)) {
    std::vector<std::complex<double>> values;
    for (const Bytes& input : inputs) values.push_back(load_complex(type, input.data() + at));
    return store_complex(type, complex_result(kind, values), out);
  }
  if (is_real(type)) {
    std::vector<double> values;
    for (const Bytes& input : inputs) values.push_back(load_real(type, input.data() + at));
    const double result = real_result(kind, values);
    // Small floats are reduced in float and rounded once from there.
    return store_real(type, type == DataType::float64 ? result : static_cast<float>(result), out);
  }
  if (type == DataType::boolean) {
    std::vector<bool> values;
    for (const Bytes& input : inputs) values.push_back(input[at] != std::byte{0});
    *out = boolean_result(kind, values) ? std::byte{1} : std::byte{0};
    return;
  }
  with_integer(type, [&](auto zero) {
    using T = decltype(zero);
    std::vector<T> values;
    for (const Bytes& input : inputs) values.push_back(load<T>(input.data() + at));
    const T result = integer_result(kind, values);
    std::memcpy(out, &result, sizeof result);
  });
}

}  // namespace

bool defined(Kind kind, DataType type) {
  if (type == DataType::byte) return false;
  if (kind == Kind::user || is_integer(type)) return true;
  if (type == DataType::boolean) return kind != Kind::avg && kind != Kind::pre_multiplied;
  const bool linear =
      kind == Kind::sum || kind == Kind::prod || kind == Kind::avg || kind == Kind::pre_multiplied;
  return linear || (is_real(type) && (kind == Kind::min || kind == Kind::max));
}

ReduceOp reduce_op(Kind kind, DataType type) {
  if (kind != Kind::pre_multiplied) return ReduceOp(kind);
  return is_integer(type) ? pre_multiplied(3) : pre_multiplied(-0.5);
}

Bytes reduced(DataType type, Kind kind, const std::vector<Bytes>& inputs) {
  Bytes result(inputs[0].size());
  for (std::size_t at = 0; at < result.size(); at += element_size(type))
    reduce_element(type, kind, inputs, at, result.data() + at);
  return result;
}

}  // namespace tutti::test
