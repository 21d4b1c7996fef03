#pragma once

#include <cstddef>
#include <span>
#include <tutti/tutti.hpp>

#include "csr_matrix.hpp"
#include "row_partition.hpp"

namespace cg {

/// This rank's rows of a square matrix that is spread over the ranks of a communicator.
class DistributedMatrix {
 public:
  DistributedMatrix(RowPartition partition, CsrMatrix own_rows);

  const RowPartition& partition() const noexcept { return partition_; }
  std::size_t own_nonzeros() const noexcept { return own_.nonzeros(); }

  /// y = A x for this rank's rows; `x` is the whole vector, `y` has an element for each own row.
  void multiply(std::span<const double> x, std::span<double> y) const;

 private:
  RowPartition partition_;
  CsrMatrix own_;
};

/// Spreads a matrix that rank 0 holds, so that every rank gets about as many nonzeros. Collective;
/// `whole` matters on rank 0 alone.
DistributedMatrix distribute(const tutti::Communicator& world, const CsrMatrix& whole);

}  // namespace cg
