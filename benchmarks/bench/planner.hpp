#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/settings.hpp"

namespace tutti::bench {

/// The job's place and means, equal on all ranks but for `rank`.
struct Place {
  int rank = 0;
  int size = 1;
  std::size_t memory_limit = 0;  ///< bytes that a rank may use
};

/// Told what is left out and why; called on every rank with the same text.
using Note = std::function<void(const std::string&)>;

/// The rows to measure, the same on all ranks in the same order. What cannot be is left out, with a
/// note: reductions that a type does not have, arrays beyond the memory limit, forms that a
/// collective lacks.
std::vector<Job> plan_jobs(const Settings& settings, const Place& place, const Note& note);

}  // namespace tutti::bench
