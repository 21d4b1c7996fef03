#include "report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <span>

namespace cg {

namespace {

std::string_view name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::converged:
      return "converged";
    case Outcome::out_of_iterations:
      return "out_of_iterations";
    case Outcome::not_positive_definite:
      return "not_positive_definite";
    case Outcome::not_finite:
      return "not_finite";
  }
  return "";
}

/// JSON has no infinity and no nan.
std::string json_number(double value) {
  return std::isfinite(value) ? fmt::to_string(value) : "null";
}

}  // namespace

Report make_report(const tutti::Communicator& world, const DistributedMatrix& matrix,
                   const Statistics& statistics, const Accuracy& accuracy) {
  Report report;
  report.ranks = world.size();
  report.rows = matrix.partition().rows();
  report.iterations = statistics.iterations;
  report.outcome = statistics.outcome;
  report.accuracy = accuracy;
  report.nonzeros = matrix.own_nonzeros();
  report.seconds = statistics.seconds;
  const double share =
      statistics.seconds > 0 ? statistics.communication_seconds / statistics.seconds : 0;
  report.communication_share_max = report.communication_share_mean = share;

  world.run({tutti::all_reduce(std::span(&report.nonzeros, 1), tutti::sum),
             tutti::all_reduce(std::span(&report.seconds, 1), tutti::max),
             tutti::all_reduce(std::span(&report.communication_share_max, 1), tutti::max),
             tutti::all_reduce(std::span(&report.communication_share_mean, 1), tutti::avg)});
  return report;
}

std::string as_text(const Report& report) {
  return fmt::format(
      "matrix                 {} rows, {} nonzeros, on {} ranks\n"
      "outcome                {} after {} iterations\n"
      "relative residual      {:.3e}\n"
      "relative error         {:.3e}\n"
      "norm of the solution   {:.12e}\n"
      "time                   {:.6f} s\n"
      "in communication       {:.1f} % at most, {:.1f} % in the mean over ranks\n",
      report.rows, report.nonzeros, report.ranks, name_of(report.outcome), report.iterations,
      report.accuracy.residual, report.accuracy.error, report.accuracy.solution_norm,
      report.seconds, 100 * report.communication_share_max, 100 * report.communication_share_mean);
}

std::string as_json(const Report& report) {
  return fmt::format(
      R"({{"schema": 1, "ranks": {}, "rows": {}, "nonzeros": {}, "outcome": "{}", )"
      R"("iterations": {}, "relative_residual": {}, "relative_error": {}, "solution_norm": {}, )"
      R"("time_s": {}, "communication_share_max": {}, "communication_share_mean": {}}})"
      "\n",
      report.ranks, report.rows, report.nonzeros, name_of(report.outcome), report.iterations,
      json_number(report.accuracy.residual), json_number(report.accuracy.error),
      json_number(report.accuracy.solution_norm), json_number(report.seconds),
      json_number(report.communication_share_max), json_number(report.communication_share_mean));
}

std::string failure_of(const Statistics& statistics, const Limits& limits) {
  switch (statistics.outcome) {
    case Outcome::converged:
      return "";
    case Outcome::out_of_iterations:
      return fmt::format("no convergence to a relative residual of {} within {} iterations",
                         limits.tolerance, limits.iterations);
    case Outcome::not_positive_definite:
      return fmt::format("the matrix is not positive definite: p.Ap = {} after {} iterations",
                         statistics.curvature, statistics.iterations);
    case Outcome::not_finite:
      return fmt::format("the arithmetic overflowed after {} iterations", statistics.iterations);
  }
  return "";
}

}  // namespace cg
