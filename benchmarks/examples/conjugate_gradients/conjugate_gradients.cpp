#include "conjugate_gradients.hpp"

#include <cmath>
#include <numeric>
#include <vector>

#include "replicated_vector.hpp"
#include "stopwatch.hpp"

namespace cg {

namespace {

double local_dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

double summed(const tutti::Communicator& world, double part) {
  world.all_reduce(std::span(&part, 1), tutti::sum);
  return part;
}

/// y += factor x
void add(double factor, std::span<const double> x, std::span<double> y) {
  for (std::size_t i = 0; i < y.size(); ++i) y[i] += factor * x[i];
}

/// y = x + factor y
void scale_and_add(double factor, std::span<const double> x, std::span<double> y) {
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = x[i] + factor * y[i];
}

/// The vectors of one solution under way. Names are those of the textbooks.
class Iteration {
 public:
  Iteration(const tutti::Communicator& world, const DistributedMatrix& matrix,
            std::span<const double> b, std::span<double> x)
      : world_(world),
        matrix_(matrix),
        x_(x),
        r_(b.begin(), b.end()),
        Ap_(b.size()),
        p_(world, matrix.partition()) {
    std::fill(x_.begin(), x_.end(), 0.0);
    std::copy(b.begin(), b.end(), p_.own().begin());
    rr_ = timed_dot(r_, r_);
  }

  double residual() const { return std::sqrt(rr_); }

  /// p.Ap of the present direction.
  double curvature() {
    communication_.time([&] { p_.exchange(); });
    matrix_.multiply(p_.whole(), Ap_);
    return timed_dot(p_.own(), Ap_);
  }

  /// Goes to the minimum along the direction, and turns to the next one.
  void advance(double curvature) {
    const double alpha = rr_ / curvature;
    add(alpha, p_.own(), x_);
    add(-alpha, Ap_, r_);
    const double rr_before = rr_;
    rr_ = timed_dot(r_, r_);
    scale_and_add(rr_ / rr_before, r_, p_.own());
  }

  double communication_seconds() const { return communication_.seconds(); }

 private:
  double timed_dot(std::span<const double> a, std::span<const double> b) {
    const double part = local_dot(a, b);
    return communication_.time([&] { return summed(world_, part); });
  }

  const tutti::Communicator& world_;
  const DistributedMatrix& matrix_;
  std::span<double> x_;
  std::vector<double> r_;
  std::vector<double> Ap_;
  ReplicatedVector p_;
  double rr_ = 0;
  Stopwatch communication_;
};

/// Every rank takes the same branches without asking the others: what they depend on comes out of
/// all_reduce, which gives every rank the same bits.
Outcome iterate(Iteration& iteration, const Limits& limits, Statistics& statistics) {
  const double target = limits.tolerance * iteration.residual();
  while (iteration.residual() > target) {
    if (statistics.iterations == limits.iterations) return Outcome::out_of_iterations;
    statistics.curvature = iteration.curvature();
    if (!std::isfinite(statistics.curvature)) return Outcome::not_finite;
    if (statistics.curvature <= 0) return Outcome::not_positive_definite;
    iteration.advance(statistics.curvature);
    ++statistics.iterations;
  }
  return std::isfinite(iteration.residual()) ? Outcome::converged : Outcome::not_finite;
}

}  // namespace

double dot(const tutti::Communicator& world, std::span<const double> a, std::span<const double> b) {
  return summed(world, local_dot(a, b));
}

Statistics solve(const tutti::Communicator& world, const DistributedMatrix& matrix,
                 std::span<const double> b, std::span<double> x, const Limits& limits) {
  world.barrier();  // so that nobody's time holds another's late start
  Statistics statistics;
  Stopwatch total;
  total.time([&] {
    Iteration iteration(world, matrix, b, x);
    statistics.outcome = iterate(iteration, limits, statistics);
    statistics.communication_seconds = iteration.communication_seconds();
  });
  statistics.seconds = total.seconds();
  return statistics;
}

}  // namespace cg
