#include "bench/ways.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/sizes.hpp"

namespace tutti::bench {
namespace {

// Less is what one run differs from the next by.
constexpr double worth_a_change = 0.95;

std::size_t fastest(const WayTimes& times) {
  return static_cast<std::size_t>(std::min_element(times.us.begin(), times.us.end()) -
                                  times.us.begin());
}

std::uint64_t between(std::uint64_t smaller, std::uint64_t larger) {
  return static_cast<std::uint64_t>(
      std::sqrt(static_cast<double>(smaller) * static_cast<double>(larger)));
}

}  // namespace

std::vector<std::string_view> ways_of(const Collective& collective) {
  if (collective.name == "reduce") return {"mpi", "whole", "sliced", "direct"};
  if (collective.reduces && !collective.blocks) return {"mpi", "whole", "sliced"};
  constexpr std::string_view direct[] = {"broadcast", "all_gather", "scatter", "all_to_all"};
  if (std::find(std::begin(direct), std::end(direct), collective.name) != std::end(direct))
    return {"mpi", "shared", "direct"};
  return {"mpi", "shared"};
}

std::string one_way_table(std::size_t way) {
  std::string table;
  for (const Collective* collective : all_collectives()) {
    if (!collective->has_ways) continue;
    const auto ways = ways_of(*collective);
    table += fmt::format("{} {}\n", collective->name, ways[std::min(way, ways.size() - 1)]);
  }
  return table;
}

std::string rules_for(const Collective& collective, int ranks, const std::vector<WayTimes>& sizes) {
  const auto ways = ways_of(collective);
  std::string measured;
  std::string rules;
  std::size_t way = fastest(sizes.front());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const WayTimes& times = sizes[i];
    measured +=
        fmt::format("# {} of {}, {} ranks, us:", collective.name, format_size(times.bytes), ranks);
    for (std::size_t w = 0; w < ways.size(); ++w)
      measured += fmt::format(" {} {:.4g}", ways[w], times.us[w]);
    measured += "\n";
    const std::size_t best = fastest(times);
    if (best == way || times.us[best] > worth_a_change * times.us[way]) continue;
    rules += fmt::format("{} ranks<={} bytes<={} {}\n", collective.name, ranks,
                         format_size(between(sizes[i - 1].bytes, times.bytes)), ways[way]);
    way = best;
  }
  return measured + rules + fmt::format("{} ranks<={} {}\n", collective.name, ranks, ways[way]);
}

}  // namespace tutti::bench
