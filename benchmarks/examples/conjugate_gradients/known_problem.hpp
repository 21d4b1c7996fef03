#pragma once

#include <span>
#include <tutti/tutti.hpp>
#include <vector>

#include "distributed_matrix.hpp"

namespace cg {

struct Accuracy {
  double residual = 0;       ///< |b - A x| / |b|, computed afresh rather than the solver's own
  double error = 0;          ///< |x - x*| / |x*|
  double solution_norm = 0;  ///< |x|
};

/// A right-hand side b = A x* whose solution x* is known, so that the true error can be told. x*
/// depends on the row's number alone, not on the number of ranks.
class KnownProblem {
 public:
  /// Collective. @throws AgreedFailure if the matrix turns out to be singular.
  KnownProblem(const tutti::Communicator& world, const DistributedMatrix& matrix);

  std::span<const double> b() const noexcept { return b_; }

  /// How good `x`, this rank's rows, is. Collective.
  Accuracy check(const tutti::Communicator& world, const DistributedMatrix& matrix,
                 std::span<const double> x) const;

 private:
  std::vector<double> solution_;
  std::vector<double> b_;
};

}  // namespace cg
