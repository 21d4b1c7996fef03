#include "poisson.hpp"

#include <fmt/format.h>

#include "text_file.hpp"

namespace cg {

namespace {

/// Calls `visit(column, value)` for each entry of a row, by ascending column.
template <class Visit>
void visit_row(std::size_t grid, std::size_t row, Visit visit) {
  const std::size_t x = row % grid;
  const std::size_t y = row / grid;
  if (y > 0) visit(row - grid, -1.0);
  if (x > 0) visit(row - 1, -1.0);
  visit(row, 4.0);
  if (x + 1 < grid) visit(row + 1, -1.0);
  if (y + 1 < grid) visit(row + grid, -1.0);
}

}  // namespace

CsrMatrix poisson_rows(std::size_t grid, std::size_t first, std::size_t count) {
  CsrMatrix matrix;
  matrix.offsets.reserve(count + 1);
  matrix.columns.reserve(5 * count);
  matrix.values.reserve(5 * count);
  for (std::size_t row = first; row < first + count; ++row) {
    visit_row(grid, row, [&](std::size_t column, double value) {
      matrix.columns.push_back(column);
      matrix.values.push_back(value);
    });
    matrix.offsets.push_back(matrix.values.size());
  }
  return matrix;
}

void write_poisson(std::size_t grid, const std::string& file) {
  TextFile out(file);
  const std::size_t rows = grid * grid;
  out.print(
      "%%MatrixMarket matrix coordinate real symmetric\n"
      "% five-point Laplacian on a {0} x {0} grid\n"
      "{1} {1} {2}\n",
      grid, rows, rows + 2 * grid * (grid - 1));
  for (std::size_t row = 0; row < rows; ++row) {
    visit_row(grid, row, [&](std::size_t column, double value) {
      if (column <= row) out.print("{} {} {}\n", row + 1, column + 1, value);
    });
  }
  out.close();
}

}  // namespace cg
