#pragma once

#include <array>
#include <cstdint>
#include <iterator>

#include "tutti/reduce_op.hpp"

namespace tutti {

enum class TypeFamily { integer, real, complex, boolean, opaque };

constexpr TypeFamily family_of(DataType type) noexcept {
  switch (type) {
    case DataType::int8:
    case DataType::uint8:
    case DataType::int16:
    case DataType::uint16:
    case DataType::int32:
    case DataType::uint32:
    case DataType::int64:
    case DataType::uint64:
      return TypeFamily::integer;
    case DataType::float16:
    case DataType::bfloat16:
    case DataType::float32:
    case DataType::float64:
    case DataType::float8_e4m3:
    case DataType::float8_e5m2:
      return TypeFamily::real;
    case DataType::complex64:
    case DataType::complex128:
      return TypeFamily::complex;
    case DataType::boolean:
      return TypeFamily::boolean;
    case DataType::byte:
      return TypeFamily::opaque;
  }
  __builtin_unreachable();
}

/// Whether partial results of the reduction fit into the data's own type. Small floats and the mean
/// of integers need more; scalars and user functions have state besides.
constexpr bool combines_in_storage(ReduceOp::Kind kind, DataType type) noexcept {
  using Kind = ReduceOp::Kind;
  const TypeFamily family = family_of(type);
  const bool small_float =
      family == TypeFamily::real && type != DataType::float32 && type != DataType::float64;
  const bool exact_mean = kind == Kind::avg && family == TypeFamily::integer;
  return kind != Kind::pre_multiplied && kind != Kind::user && !small_float && !exact_mean;
}

/// `tutti::reducible`, also at compile time.
constexpr bool is_reducible(ReduceOp::Kind kind, DataType type) noexcept {
  using Kind = ReduceOp::Kind;
  const TypeFamily family = family_of(type);
  switch (kind) {
    case Kind::user:
    case Kind::sum:
    case Kind::prod:
      return family != TypeFamily::opaque;
    case Kind::min:
    case Kind::max:
      return family != TypeFamily::opaque && family != TypeFamily::complex;
    case Kind::avg:
    case Kind::pre_multiplied:
      return family != TypeFamily::opaque && family != TypeFamily::boolean;
    case Kind::logical_and:
    case Kind::logical_or:
    case Kind::logical_xor:
    case Kind::bitwise_and:
    case Kind::bitwise_or:
    case Kind::bitwise_xor:
      return family == TypeFamily::integer || family == TypeFamily::boolean;
  }
  __builtin_unreachable();
}

/// The same as a table: for each kind a bit for each type.
inline constexpr auto reducible_types = [] {
  std::array<std::uint32_t, std::size(all_reduce_kinds)> table{};
  for (const ReduceOp::Kind kind : all_reduce_kinds)
    for (const DataType type : all_data_types)
      if (is_reducible(kind, type))
        table[static_cast<std::size_t>(kind)] |= std::uint32_t{1} << static_cast<unsigned>(type);
  return table;
}();

}  // namespace tutti
