#pragma once

#include <climits>

#include "tutti/operation.hpp"

namespace tutti {

/// Checks everything that one rank can know of an operation and returns it as backends take it:
/// - both sides are set to the memory that they use, in-place forms included, so that a backend
///   sees in place as pointers that meet where the operation's rule puts them;
/// - a side that does not matter on this rank is empty;
/// - memory that nothing is known about is host memory.
/// @throws Error (invalid_argument, unsupported) naming operation, rank, value and rule.
Operation resolve(const Operation& operation, int rank, int size, int largest_tag = INT_MAX);

/// The same without any check, for who asked for none: a wrong operation gives a wrong one.
void resolve_unchecked(Operation& operation, int rank, int size) noexcept;

/// The same in place; a refused operation is left in between.
void resolve_in_place(Operation& operation, int rank, int size, int largest_tag = INT_MAX);

}  // namespace tutti
