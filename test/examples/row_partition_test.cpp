#include "row_partition.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace {

using Sizes = std::vector<std::size_t>;

TEST(RowPartition, SpreadsRowsEvenly) {
  EXPECT_EQ(cg::RowPartition::even(10, 4).counts(), (Sizes{2, 3, 2, 3}));
}

TEST(RowPartition, KnowsWhereEachRankBegins) {
  const cg::RowPartition partition({2, 0, 3});
  EXPECT_EQ(partition.first(0), 0U);
  EXPECT_EQ(partition.first(1), 2U);
  EXPECT_EQ(partition.first(2), 2U);
  EXPECT_EQ(partition.count(2), 3U);
  EXPECT_EQ(partition.rows(), 5U);
}

TEST(RowPartition, LeavesRanksEmptyWhenThereAreMoreThanRows) {
  const Sizes counts = cg::RowPartition::even(2, 5).counts();
  EXPECT_EQ(counts.size(), 5U);
  EXPECT_EQ(cg::RowPartition(counts).rows(), 2U);
}

TEST(RowPartition, BalancesNonzerosRatherThanRows) {
  const Sizes offsets = {0, 8, 9, 10, 11, 12, 13, 14, 15, 16};  // one long row, eight short ones
  EXPECT_EQ(cg::RowPartition::by_nonzeros(offsets, 2).counts(), (Sizes{1, 8}));
}

TEST(RowPartition, GivesAwayEveryRowWhateverTheNumberOfRanks) {
  const Sizes offsets = {0, 0, 3, 3, 4, 9, 9, 9};  // rows without nonzeros at both ends
  for (int ranks = 1; ranks <= 12; ++ranks) {
    const cg::RowPartition partition = cg::RowPartition::by_nonzeros(offsets, ranks);
    EXPECT_EQ(partition.counts().size(), static_cast<std::size_t>(ranks));
    EXPECT_EQ(partition.rows(), 7U) << ranks << " ranks";
  }
}

TEST(RowPartition, TakesAMatrixWithoutNonzeros) {
  EXPECT_EQ(cg::RowPartition::by_nonzeros(Sizes{0, 0, 0}, 3).rows(), 2U);
}

TEST(RowPartition, DoesNotOverflowOnHugeMatrices) {
  const std::size_t huge = std::size_t{1} << 62;
  EXPECT_EQ(cg::RowPartition::even(huge, 64).count(63), huge / 64);
}

}  // namespace
