#pragma once

#include <cstddef>
#include <span>
#include <tutti/tutti.hpp>

#include "distributed_matrix.hpp"

namespace cg {

struct Limits {
  double tolerance = 1e-10;  ///< of |b - A x| / |b|
  std::size_t iterations = 10'000;
};

enum class Outcome {
  converged,
  out_of_iterations,
  not_positive_definite,  ///< a direction p with p.Ap <= 0 came up
  not_finite,             ///< the arithmetic overflowed
};

struct Statistics {
  Outcome outcome = Outcome::converged;
  std::size_t iterations = 0;
  double curvature = 0;              ///< p.Ap of the last direction
  double seconds = 0;                ///< on this rank
  double communication_seconds = 0;  ///< of these, in collectives, waiting for other ranks included
};

/// Solves A x = b by conjugate gradients from x = 0. `b` and `x` hold this rank's rows. Collective;
/// all ranks return the same outcome.
Statistics solve(const tutti::Communicator& world, const DistributedMatrix& matrix,
                 std::span<const double> b, std::span<double> x, const Limits& limits);

/// The dot product of two vectors of which each rank holds its own rows. Collective.
double dot(const tutti::Communicator& world, std::span<const double> a, std::span<const double> b);

}  // namespace cg
