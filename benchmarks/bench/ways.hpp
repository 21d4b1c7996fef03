#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/collective.hpp"

/// The ways that a collective can go inside a node, and the table that TUTTI_TUNE takes.
namespace tutti::bench {

/// Their names, plain MPI first.
std::vector<std::string_view> ways_of(const Collective& collective);

/// A table that sends every collective its way number `way`, or its last one if it has fewer.
std::string one_way_table(std::size_t way);

/// The median time of each way at one size, in microseconds, in the order of `ways_of`.
struct WayTimes {
  std::uint64_t bytes = 0;
  std::vector<double> us;
};

/// The rules for one collective on up to `ranks` ranks, sizes in rising order, with what was
/// measured as comments. One way is left for another where that takes at least 5 % less, half way
/// (geometrically) to the size before.
std::string rules_for(const Collective& collective, int ranks, const std::vector<WayTimes>& sizes);

}  // namespace tutti::bench
