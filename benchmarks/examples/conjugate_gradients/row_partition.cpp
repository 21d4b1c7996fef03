#include "row_partition.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace cg {

namespace {
/// total x rank / ranks, without the product that could overflow.
std::size_t share(std::size_t total, std::size_t rank, std::size_t ranks) {
  return total / ranks * rank + total % ranks * rank / ranks;
}
}  // namespace

RowPartition::RowPartition(std::vector<std::size_t> counts) : counts_(std::move(counts)) {
  first_.resize(counts_.size() + 1, 0);
  std::partial_sum(counts_.begin(), counts_.end(), first_.begin() + 1);
}

RowPartition RowPartition::even(std::size_t rows, int ranks) {
  const auto size = static_cast<std::size_t>(ranks);
  std::vector<std::size_t> counts(size);
  for (std::size_t rank = 0; rank < size; ++rank) {
    counts[rank] = share(rows, rank + 1, size) - share(rows, rank, size);
  }
  return RowPartition(std::move(counts));
}

RowPartition RowPartition::by_nonzeros(std::span<const std::size_t> offsets, int ranks) {
  const auto size = static_cast<std::size_t>(ranks);
  std::vector<std::size_t> counts(size);
  auto begin = offsets.begin();
  for (std::size_t rank = 0; rank < size; ++rank) {
    // The first row that begins at or after this rank's share of the nonzeros.
    auto end = std::lower_bound(begin, offsets.end() - 1, share(offsets.back(), rank + 1, size));
    if (rank + 1 == size) end = offsets.end() - 1;  // rows without nonzeros at the end
    counts[rank] = static_cast<std::size_t>(end - begin);
    begin = end;
  }
  return RowPartition(std::move(counts));
}

}  // namespace cg
