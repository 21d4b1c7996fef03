#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/elements.hpp"
#include "tutti/reduce_op.hpp"
#include "tutti/types.hpp"

// What reductions must give, computed one element after the other from their definitions.
namespace tutti::test {

using Bytes = std::vector<std::byte>;

/// True where the design defines the reduction.
bool defined(ReduceOp::Kind kind, DataType type);

/// Elements that rank `rank` contributes: any bits for integers, for floats values whose sums,
/// products and means over at most eight ranks are exact in the type that tutti reduces in.
Bytes pattern(DataType type, ReduceOp::Kind kind, int rank, std::size_t count,
              std::uint32_t seed = 0);

/// Any bytes, for movement; bool stays 0 or 1.
Bytes noise(DataType type, int rank, std::size_t count, std::uint32_t seed = 0);

/// The scalar that the reference of `pre_multiplied` uses, as tutti takes it: 3 with integers,
/// -0.5 with floats.
ReduceOp reduce_op(ReduceOp::Kind kind, DataType type);

/// Element by element: inputs[0] o inputs[1] o ..., each of the same size; `avg` divides by their
/// number.
Bytes reduced(DataType type, ReduceOp::Kind kind, const std::vector<Bytes>& inputs);

/// Equal bits, NaN on both sides, or equal complex values.
bool equal_elements(DataType type, const std::byte* a, const std::byte* b);

}  // namespace tutti::test
