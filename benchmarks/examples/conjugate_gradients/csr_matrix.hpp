#pragma once

#include <cstddef>
#include <vector>

namespace cg {

/// Consecutive rows of a sparse matrix: row i's entries lie in `columns` and `values` from
/// `offsets[i]` to `offsets[i + 1]`, by ascending column.
struct CsrMatrix {
  std::vector<std::size_t> offsets = {0};
  std::vector<std::size_t> columns;
  std::vector<double> values;

  std::size_t rows() const noexcept { return offsets.size() - 1; }
  std::size_t nonzeros() const noexcept { return values.size(); }
};

}  // namespace cg
