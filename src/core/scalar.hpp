#pragma once

#include <string>

#include "tutti/reduce_op.hpp"

namespace tutti {

/// Converts the host scalar of a `pre_multiplied` reduction to one element of `type` at `out`.
/// False if `type` cannot hold the value: integers take whole numbers in range, real types no
/// imaginary part, and nothing beyond their largest value. Floats round.
bool convert_scalar(const ReduceOp& op, DataType type, void* out) noexcept;

/// The scalar as text, for messages.
std::string scalar_text(const ReduceOp& op);

}  // namespace tutti
