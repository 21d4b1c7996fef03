#include "distributed_matrix.hpp"

#include <numeric>
#include <utility>
#include <vector>

namespace cg {

DistributedMatrix::DistributedMatrix(RowPartition partition, CsrMatrix own_rows)
    : partition_(std::move(partition)), own_(std::move(own_rows)) {}

void DistributedMatrix::multiply(std::span<const double> x, std::span<double> y) const {
  for (std::size_t row = 0; row < own_.rows(); ++row) {
    double sum = 0;
    for (std::size_t i = own_.offsets[row]; i < own_.offsets[row + 1]; ++i) {
      sum += own_.values[i] * x[own_.columns[i]];
    }
    y[row] = sum;
  }
}

namespace {

/// The number of nonzeros of each rank, from the rows that it gets.
std::vector<std::size_t> nonzero_counts(const RowPartition& partition, const CsrMatrix& whole) {
  std::vector<std::size_t> counts;
  std::size_t row = 0;
  for (const std::size_t rows : partition.counts()) {
    counts.push_back(whole.offsets[row + rows] - whole.offsets[row]);
    row += rows;
  }
  return counts;
}

/// Rank 0 decides, everyone learns how many rows each rank has.
RowPartition agree_on_partition(const tutti::Communicator& world, const CsrMatrix& whole) {
  std::vector<std::size_t> counts(static_cast<std::size_t>(world.size()));
  if (world.rank() == 0) counts = RowPartition::by_nonzeros(whole.offsets, world.size()).counts();
  world.broadcast(counts, 0);
  return RowPartition(std::move(counts));
}

}  // namespace

DistributedMatrix distribute(const tutti::Communicator& world, const CsrMatrix& whole) {
  RowPartition partition = agree_on_partition(world, whole);

  // The lengths of the rows come first: their sum tells a rank how many nonzeros to expect.
  std::vector<std::size_t> all_lengths, nonzeros;  // stay empty where they do not matter
  if (world.rank() == 0) {
    all_lengths.resize(whole.rows());
    std::adjacent_difference(whole.offsets.begin() + 1, whole.offsets.end(), all_lengths.begin());
    nonzeros = nonzero_counts(partition, whole);
  }
  CsrMatrix own;
  own.offsets.resize(partition.count(world.rank()) + 1);
  world.scatter(all_lengths, std::span(own.offsets).subspan(1), 0,
                tutti::Blocks(partition.counts()));
  std::partial_sum(own.offsets.begin(), own.offsets.end(), own.offsets.begin());

  own.columns.resize(own.offsets.back());
  own.values.resize(own.offsets.back());
  world.run({tutti::scatter(whole.columns, own.columns, 0, tutti::Blocks(nonzeros)),
             tutti::scatter(whole.values, own.values, 0, tutti::Blocks(nonzeros))});
  return DistributedMatrix(std::move(partition), std::move(own));
}

}  // namespace cg
