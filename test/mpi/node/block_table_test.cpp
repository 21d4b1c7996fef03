// Blocks of a node's ranks.
#include "mpi/node/block_table.hpp"

#include <gtest/gtest.h>
#include <tuple>

namespace tutti::test {
namespace {

using mpi::node::BlockTable;

TEST(BlockTable, LaysBlocksSideBySide) {
  BlockTable table(4);
  table.set(0, 3, 100);
  table.set(2, 5);
  EXPECT_EQ(table.in_bytes(8).offset(0), 800U);
  EXPECT_EQ(table.longest(), 5U);
  EXPECT_EQ(table.pack(), 8U);
  const auto bytes = table.in_bytes(4);
  for (const auto& [rank, length, offset] :
       {std::tuple{0, 12U, 0U}, {1, 0U, 12U}, {2, 20U, 12U}, {3, 0U, 32U}}) {
    EXPECT_EQ(bytes.bytes(rank), length) << rank;
    EXPECT_EQ(bytes.offset(rank), offset) << rank;
  }
}

TEST(BlockTable, IsFilledAnew) {
  BlockTable table(2);
  table.set(1, 7);
  table.clear();
  EXPECT_EQ(table.longest(), 0U);
  table.counts()[0] = 2;
  table.counts()[1] = 9;
  EXPECT_EQ(table.pack(), 11U);
  EXPECT_EQ(table.in_bytes(1).offset(1), 2U);
}

}  // namespace
}  // namespace tutti::test
