#include "known_problem.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "agreement.hpp"
#include "conjugate_gradients.hpp"
#include "replicated_vector.hpp"

namespace cg {

namespace {

double norm(const tutti::Communicator& world, std::span<const double> a) {
  return std::sqrt(dot(world, a, a));
}

std::vector<double> multiply(const tutti::Communicator& world, const DistributedMatrix& matrix,
                             std::span<const double> x) {
  ReplicatedVector whole(world, matrix.partition());
  std::copy(x.begin(), x.end(), whole.own().begin());
  whole.exchange();
  std::vector<double> y(x.size());
  matrix.multiply(whole.whole(), y);
  return y;
}

std::vector<double> difference(std::span<const double> a, std::span<const double> b) {
  std::vector<double> result(a.begin(), a.end());
  for (std::size_t i = 0; i < result.size(); ++i) result[i] -= b[i];
  return result;
}

}  // namespace

KnownProblem::KnownProblem(const tutti::Communicator& world, const DistributedMatrix& matrix) {
  const std::size_t first = matrix.partition().first(world.rank());
  solution_.resize(matrix.partition().count(world.rank()));
  // Rough, so that the solver meets high and low frequencies.
  for (std::size_t i = 0; i < solution_.size(); ++i) {
    solution_[i] = 1.0 + static_cast<double>((first + i) * 7 % 11) / 8.0;
  }
  b_ = multiply(world, matrix, solution_);
  if (norm(world, b_) == 0) throw AgreedFailure("the matrix is singular: A x* = 0 for x* not 0");
}

Accuracy KnownProblem::check(const tutti::Communicator& world, const DistributedMatrix& matrix,
                             std::span<const double> x) const {
  Accuracy accuracy;
  accuracy.residual = norm(world, difference(b_, multiply(world, matrix, x))) / norm(world, b_);
  accuracy.error = norm(world, difference(x, solution_)) / norm(world, solution_);
  accuracy.solution_norm = norm(world, x);
  return accuracy;
}

}  // namespace cg
