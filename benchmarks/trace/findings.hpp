#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "trace/record.hpp"

namespace tutti::trace {

/// Ranks of one communicator of which the same can be said.
struct Group {
  std::vector<int> ranks;
  std::string words;
};

/// A call in which ranks were when their records end, or which they gave up.
struct Wait {
  std::uint64_t step = 0;
  std::string call;
  std::vector<int> waiting;
  std::vector<int> gave_up;
  std::vector<Group> others;  ///< what those do that are not in it
};

/// The first collective call that is not the same on all ranks, of those that all records still
/// hold.
struct Divergence {
  std::uint64_t step = 0;
  std::vector<Group> calls;
};

struct CommunicatorFindings {
  std::string name;  ///< "0.1"
  int size = 0;
  std::vector<int> without_record;
  std::uint64_t first_compared = 0;
  std::uint64_t last_compared = 0;  ///< below the first: nothing is on all ranks
  std::optional<Divergence> divergence;
  std::vector<Wait> waits;
};

struct Findings {
  std::vector<int> missing;  ///< ranks of the job without a record
  std::vector<CommunicatorFindings> communicators;
};

Findings find(const Job& job);

/// The last moment that any record tells of.
std::int64_t last_moment(const Job& job);

}  // namespace tutti::trace
