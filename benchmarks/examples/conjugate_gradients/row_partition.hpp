#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace cg {

/// Which consecutive rows each rank holds. A rank may hold none.
class RowPartition {
 public:
  /// From the number of rows of each rank.
  explicit RowPartition(std::vector<std::size_t> counts);

  /// As many rows on each rank, give or take one.
  static RowPartition even(std::size_t rows, int ranks);

  /// About as many nonzeros on each rank; `offsets` are those of a CsrMatrix.
  static RowPartition by_nonzeros(std::span<const std::size_t> offsets, int ranks);

  std::size_t rows() const noexcept { return first_.back(); }
  std::size_t first(int rank) const { return first_[static_cast<std::size_t>(rank)]; }
  std::size_t count(int rank) const { return counts_[static_cast<std::size_t>(rank)]; }
  /// Of all ranks: what `tutti::Blocks` takes.
  const std::vector<std::size_t>& counts() const noexcept { return counts_; }

 private:
  std::vector<std::size_t> counts_;
  std::vector<std::size_t> first_;  // one more than ranks: the last is the number of rows
};

}  // namespace cg
