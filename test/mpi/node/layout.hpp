#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/world.hpp"

namespace tutti::test {

/// Rank by rank: nodes of unequal size, nodes whose ranks do not follow one another, the first rank
/// not on the first node, ranks alone on theirs, one node, as many as ranks.
inline const std::vector<std::vector<int>> all_layouts = {
    {0, 0, 0, 0, 0}, {0, 1, 2, 3, 4}, {0, 1, 0, 1, 0}, {0, 0, 1, 1, 2},
    {0, 0, 0, 0, 1}, {1, 0, 0, 0, 1}, {2, 1, 0, 1, 0}, {0, 1, 1, 1, 1}};

std::string name_of(const std::vector<int>& layout);

/// MPI says that the ranks lie so on nodes.
class Layout : public testing::TestWithParam<std::vector<int>> {
 protected:
  Layout();
  ~Layout() override;

  int node_of(int rank) const { return layout_[static_cast<std::size_t>(rank)]; }

  std::vector<int> layout_ = GetParam();
};

/// Few and many bytes, and what does not divide.
inline constexpr std::size_t all_counts[] = {1, 7, 250, 12007};

/// Elements that tell their rank and place.
std::vector<int> numbers_of(int rank, std::size_t count);
/// The sum of the first ranks' elements.
std::vector<int> total(int ranks, std::size_t count);

}  // namespace tutti::test
