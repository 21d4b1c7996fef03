#include "bench/ways.hpp"

#include <gtest/gtest.h>

namespace tutti::bench {
namespace {

/// Without the comments.
std::string rules(const Collective& collective, const std::vector<WayTimes>& sizes) {
  std::string text = rules_for(collective, 4, sizes);
  while (text.starts_with('#')) text.erase(0, text.find('\n') + 1);
  return text;
}

TEST(Ways, ATableSendsEveryCollectiveOneWay) {
  EXPECT_EQ(one_way_table(0).find("whole"), std::string::npos);
  EXPECT_NE(one_way_table(1).find("all_reduce whole\n"), std::string::npos);
  EXPECT_NE(one_way_table(1).find("reduce_scatter shared\n"), std::string::npos);
  EXPECT_NE(one_way_table(2).find("exclusive_scan sliced\n"), std::string::npos);
  EXPECT_NE(one_way_table(2).find("barrier shared\n"), std::string::npos);
  EXPECT_EQ(one_way_table(2).find("send_recv"), std::string::npos);
  EXPECT_NE(one_way_table(3).find("\nreduce direct\n"), std::string::npos);
  EXPECT_NE(one_way_table(2).find("all_gather direct\n"), std::string::npos);
}

TEST(Ways, TheFastestIsTakenAndChangesBetweenTwoSizes) {
  EXPECT_EQ(rules(broadcast_collective, {{8, {2, 1, 4}}, {128, {9, 5, 7}}}),
            "broadcast ranks<=4 shared\n");
  EXPECT_EQ(rules(all_reduce_collective, {{8, {3, 1, 2}}, {128, {9, 7, 5}}, {512, {1, 4, 4}}}),
            "all_reduce ranks<=4 bytes<=32 whole\n"
            "all_reduce ranks<=4 bytes<=256 sliced\n"
            "all_reduce ranks<=4 mpi\n");
  EXPECT_EQ(rules(barrier_collective, {{0, {1, 2}}}), "barrier ranks<=4 mpi\n");
}

TEST(Ways, ALittleLessTimeIsNoReasonToChange) {
  EXPECT_EQ(
      rules(broadcast_collective, {{8, {2, 1, 30}}, {128, {9.6, 10, 30}}, {512, {20, 10, 30}}}),
      "broadcast ranks<=4 shared\n");
}

TEST(Ways, WhatWasMeasuredStandsBeside) {
  EXPECT_EQ(rules_for(broadcast_collective, 2, {{8192, {2, 1.25, 1.5}}}),
            "# broadcast of 8K, 2 ranks, us: mpi 2 shared 1.25 direct 1.5\n"
            "broadcast ranks<=2 shared\n");
}

}  // namespace
}  // namespace tutti::bench
