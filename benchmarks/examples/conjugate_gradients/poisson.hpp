#pragma once

#include <cstddef>
#include <string>

#include "csr_matrix.hpp"

namespace cg {

/// Rows `first` to `first + count` of the five-point Laplacian on a `grid` x `grid` square with
/// zero boundary values: symmetric, positive definite, grid^2 rows.
CsrMatrix poisson_rows(std::size_t grid, std::size_t first, std::size_t count);

/// Writes the whole of it to a Matrix Market file, the lower triangle row by row.
/// @throws std::runtime_error naming the file and the cause.
void write_poisson(std::size_t grid, const std::string& file);

}  // namespace cg
