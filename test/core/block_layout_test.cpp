#include "core/block_layout.hpp"

#include <gtest/gtest.h>

namespace tutti::test {
namespace {

using Sizes = std::vector<std::size_t>;

TEST(BlockLayout, EqualBlocksLieSideBySide) {
  const BlockLayout layout(std::size_t{5});
  EXPECT_EQ(layout.count(3), 5U);
  EXPECT_EQ(layout.offset(0), 0U);
  EXPECT_EQ(layout.offset(3), 15U);
  const BlockLayout large(std::size_t{1} << 31);
  EXPECT_EQ(large.offset(4), std::size_t{1} << 33);
}

TEST(BlockLayout, UnevenBlocksArePackedUnlessTheyHaveOffsets) {
  const Sizes counts{3, 0, 4, 1}, offsets{10, 0, 20, 5};
  const Blocks packed(counts);
  const Blocks placed(counts, offsets);
  const BlockLayout first(packed), second(placed);
  const std::size_t begins[] = {0, 3, 3, 7};
  for (int rank = 0; rank < 4; ++rank) {
    const auto r = static_cast<std::size_t>(rank);
    EXPECT_EQ(first.count(rank), counts[r]);
    EXPECT_EQ(first.offset(rank), begins[r]);
    EXPECT_EQ(second.count(rank), counts[r]);
    EXPECT_EQ(second.offset(rank), offsets[r]);
  }
}

TEST(BlockLayout, IsComparedByWhereBlocksLie) {
  const Sizes counts{2, 2, 2}, same{0, 2, 4}, moved{0, 2, 5}, other{2, 2, 1};
  const BlockLayout equal(std::size_t{2});
  EXPECT_TRUE(equal.same_as(Blocks(counts)));
  EXPECT_TRUE(equal.same_as(Blocks(counts, same)));
  EXPECT_FALSE(equal.same_as(Blocks(counts, moved)));
  EXPECT_FALSE(equal.same_as(Blocks(other)));
}

TEST(BlockLayout, OverlapsAreNamed) {
  std::size_t first = 9, second = 9;
  const auto overlap = [&](const Sizes& counts, const Sizes& offsets) {
    const Blocks blocks(counts, offsets);
    return BlockLayout(blocks).find_overlap(first, second);
  };
  EXPECT_FALSE(overlap({2, 3, 2}, {5, 2, 0})) << "neighbours touch";
  EXPECT_TRUE(overlap({2, 3, 2}, {4, 2, 0}));
  EXPECT_EQ(first, 1U);
  EXPECT_EQ(second, 0U);
  EXPECT_FALSE(overlap({4, 0, 4}, {0, 2, 4})) << "a block without elements shares none";
  EXPECT_TRUE(overlap({1, 1}, {3, 3}));
  // One inside another.
  EXPECT_TRUE(overlap({10, 1}, {0, 4}));
}

// A long block covers all that follow, not only the next one.
TEST(BlockLayout, OverlapsWithALongBlockAreFoundWhateverLiesBetween) {
  std::size_t first = 9, second = 9;
  const Sizes counts{10, 1, 1}, offsets{0, 20, 8};
  EXPECT_TRUE(BlockLayout(Blocks(counts, offsets)).find_overlap(first, second));
}

}  // namespace
}  // namespace tutti::test
