#pragma once

#include <cstddef>
#include <string>
#include <tutti/tutti.hpp>

#include "conjugate_gradients.hpp"
#include "known_problem.hpp"

namespace cg {

/// What a run tells its user.
struct Report {
  int ranks = 0;
  std::size_t rows = 0;
  std::size_t nonzeros = 0;
  std::size_t iterations = 0;
  Outcome outcome = Outcome::converged;
  Accuracy accuracy;
  double seconds = 0;                   ///< of the slowest rank
  double communication_share_max = 0;   ///< of a rank's time
  double communication_share_mean = 0;  ///< over the ranks
};

/// Brings the ranks' figures together. Collective; every rank gets the report.
Report make_report(const tutti::Communicator& world, const DistributedMatrix& matrix,
                   const Statistics& statistics, const Accuracy& accuracy);

std::string as_text(const Report& report);
std::string as_json(const Report& report);

/// Why there is no solution; empty if there is one.
std::string failure_of(const Statistics& statistics, const Limits& limits);

}  // namespace cg
