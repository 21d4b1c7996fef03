// Which way a collective goes: the table's language, its first-fit rule, and the library's own
// rules.
#include "mpi/node/choice.hpp"

#include <gtest/gtest.h>

#include <array>

#include "support/world.hpp"

namespace tutti::test {
namespace {

using mpi::node::Chooser;
using mpi::node::has_way;
using mpi::node::parse_rules;
using mpi::node::Rule;
using mpi::node::Way;

std::array<float, 4> memory{};

Operation all_reduce_of(std::size_t bytes) {
  Operation op = all_reduce(memory);
  op.send.count = op.receive.count = bytes / sizeof(float);
  return op;
}

Chooser chooser(const char* table, std::size_t ranks, bool takes_mpi = true) {
  return Chooser(parse_rules(table, "t"), "t", ranks, takes_mpi);
}

TEST(Choice, ReadsRules) {
  const auto rules = parse_rules(
      "# a comment\n\n"
      "all_reduce ranks<=2 bytes<=64K whole   # and another\r\n"
      "\tbroadcast\tbytes<=7 mpi\n"
      "barrier shared\n"
      "scatter bytes<=1M direct",
      "t");
  ASSERT_EQ(rules.size(), 4U);
  EXPECT_EQ(rules[3].way, Way::direct);
  EXPECT_EQ(rules[0].kind, OperationKind::all_reduce);
  EXPECT_EQ(rules[0].ranks, 2U);
  EXPECT_EQ(rules[0].bytes, 65536U);
  EXPECT_EQ(rules[0].way, Way::whole);
  EXPECT_EQ(rules[0].line, 3);
  EXPECT_EQ(rules[1].ranks, Rule::any);
  EXPECT_EQ(rules[1].bytes, 7U);
  EXPECT_EQ(rules[1].way, Way::mpi);
  EXPECT_EQ(rules[2].bytes, Rule::any);
  EXPECT_EQ(rules[2].line, 5);
  EXPECT_TRUE(parse_rules("", "t").empty());
}

TEST(Choice, AWrongLineIsToldWithItsNumberAndTheRule) {
  const std::pair<const char*, const char*> wrong[] = {
      {"all_redruce whole", "all_reduce, reduce"},
      {"send mpi", "\"send\" is none of"},
      {"all_reduce", "has no way"},
      {"all_reduce bytes<=8", "\"bytes<=8\" is no way of all_reduce"},
      {"scan shared", "mpi, whole, sliced"},
      {"broadcast whole", "mpi, shared, direct"},
      {"scan direct", "mpi, whole, sliced"},
      {"exclusive_scan sideways", "mpi, whole, sliced, shared, direct"},
      {"gather direct", "mpi, shared"},
      {"reduce_scatter sliced", "mpi, shared"},
      {"all_reduce bytes<8 whole", "\"bytes<8\" is no limit"},
      {"all_reduce bytes<=8 bytes<=9 whole", "\"bytes<=9\" is no limit, or the second one"},
      {"all_reduce whole sliced", "\"whole\" is no limit"},
      {"all_reduce bytes<= whole", "whole number"},
      {"all_reduce bytes<=-1 whole", "whole number"},
      {"all_reduce bytes<=K whole", "whole number"},
      {"all_reduce bytes<=8T whole", "whole number"},
      {"all_reduce bytes<=99999999999999999999 whole", "whole number"},
      {"all_reduce bytes<=18014398509481984K whole", "whole number"},
      {"all_reduce ranks<=1 whole", "2 or more"},
      {"all_reduce ranks<=2K whole", "2 or more"},
      {"all_reduce \x1b[31m", "is no way"}};
  for (const auto& [line, why] : wrong) {
    const std::string table = std::string("# first\nbarrier shared\n") + line + "\nbarrier mpi\n";
    const Failure failure = failure_of([&] { parse_rules(table, "some/file"); });
    ASSERT_TRUE(failure.thrown) << line;
    EXPECT_EQ(failure.code, Errc::invalid_argument);
    for (const char* const part : {"TUTTI_TUNE", "some/file", "line 3", why, "[ranks<=N]"})
      EXPECT_NE(failure.text.find(part), std::string::npos) << part << " in " << failure.text;
    EXPECT_EQ(failure.text.find('\x1b'), std::string::npos);
  }
}

TEST(Choice, TheFirstRuleThatFitsIsTaken) {
  constexpr const char* table =
      "all_reduce ranks<=2 bytes<=100 mpi\n"
      "all_reduce bytes<=1K sliced\n"
      "all_reduce bytes<=512 mpi\n"  // never reached
      "all_reduce ranks<=4 bytes<=1M whole\n"
      "all_reduce ranks<=8 sliced\n"
      "all_reduce mpi\n";
  const auto way = [&](std::size_t ranks, std::size_t bytes) {
    return chooser(table, ranks).of(all_reduce_of(bytes));
  };
  EXPECT_EQ(way(2, 100), Way::mpi);
  EXPECT_EQ(way(2, 104), Way::sliced);
  EXPECT_EQ(way(3, 100), Way::sliced);
  EXPECT_EQ(way(3, 1024), Way::sliced);
  EXPECT_EQ(way(3, 1028), Way::whole);
  EXPECT_EQ(way(4, 1 << 20), Way::whole);
  EXPECT_EQ(way(4, (1 << 20) + 4), Way::sliced);
  EXPECT_EQ(way(5, 1 << 20), Way::sliced);
  EXPECT_EQ(way(9, 1 << 20), Way::mpi);
}

TEST(Choice, WhatTheFileLeavesOpenGoesTheLibrarysOwnWay) {
  const Chooser ways = chooser("all_reduce bytes<=64 mpi", 2);
  EXPECT_EQ(ways.of(all_reduce_of(64)), Way::mpi);
  EXPECT_EQ(ways.of(all_reduce_of(68)), Way::whole);
  EXPECT_EQ(ways.of(broadcast(memory, 0)), Way::shared);
  EXPECT_EQ(ways.describe(all_reduce_of(64)), "the MPI library (TUTTI_TUNE, line 1 of t)");
  EXPECT_EQ(ways.describe(all_reduce_of(68)), "shared memory, whole arrays (by default)");
}

TEST(Choice, RulesForMpiArePassedOverWhereTheNodePathIsAskedFor) {
  constexpr const char* table = "all_reduce bytes<=64 mpi\nall_reduce bytes<=1K sliced";
  EXPECT_EQ(chooser(table, 2, true).of(all_reduce_of(8)), Way::mpi);
  EXPECT_EQ(chooser(table, 2, false).of(all_reduce_of(8)), Way::sliced);
}

// Whatever a file says of one kind, every other has a way of its own; messages have MPI's.
TEST(Choice, EveryOperationHasAWayOnAnyNumberOfRanks) {
  for (const std::size_t ranks : {1U, 2U, 3U, 64U, 512U, 4096U}) {
    const Chooser ways = chooser("", ranks, false);
    for (const OperationKind kind : all_operation_kinds)
      for (const std::size_t bytes : {0U, 8U, 1U << 30U})
        for (const bool uneven : {false, true}) {
          Operation op = all_reduce_of(bytes);
          op.kind = kind;
          op.uneven = uneven;
          EXPECT_TRUE(has_way(kind, ways.of(op))) << to_string(kind);
          const Way with_mpi = chooser("", ranks).of(op);
          EXPECT_TRUE(has_way(kind, with_mpi) || with_mpi == Way::direct_or_mpi) << to_string(kind);
          const bool message = kind == OperationKind::send || kind == OperationKind::recv ||
                               kind == OperationKind::send_recv;
          EXPECT_EQ(ways.of(op) == Way::mpi, message) << to_string(kind);
        }
  }
}

TEST(Choice, WholeArraysAreForTwoRanksAndForWhatIsSmall) {
  const auto way = [&](std::size_t ranks, std::size_t bytes) {
    return chooser("", ranks).of(all_reduce_of(bytes));
  };
  EXPECT_EQ(way(2, 64 << 10), Way::whole);
  EXPECT_EQ(way(2, 128 << 10), Way::shared) << "whole, or directly";
  EXPECT_EQ(way(2, 2 << 20), Way::whole);
  EXPECT_EQ(way(2, 64 << 20), Way::whole);
  Operation scan = all_reduce_of(1 << 20);
  scan.kind = OperationKind::scan;
  EXPECT_EQ(chooser("", 5).of(scan), Way::whole);
  EXPECT_EQ(chooser("", 6).of(scan), Way::sliced) << "as all_reduce, where scans have no rule";
  EXPECT_EQ(way(17, 512), Way::whole);
  EXPECT_EQ(way(17, 516), Way::sliced);
  for (const std::size_t ranks : {3U, 5U, 9U, 33U, 65U}) {
    EXPECT_EQ(way(ranks, 16384 / (ranks - 1)), Way::whole) << ranks;
    EXPECT_EQ(way(ranks, 16384 / (ranks - 1) + 4), Way::sliced) << ranks;
  }
}

// A rule must fit on all ranks or on none: blocks count n times, on whichever side a rank has them.
TEST(Choice, BytesAreThoseOfTheWholeArrayOnEveryRank) {
  using mpi::node::array_bytes;
  std::array<float, 12> all{};
  constexpr std::size_t whole = sizeof all;
  EXPECT_EQ(array_bytes(all_reduce(all), 3), whole);
  EXPECT_EQ(array_bytes(broadcast(all, 0), 3), whole);
  EXPECT_EQ(array_bytes(all_gather(memory, all), 3), whole);
  EXPECT_EQ(array_bytes(gather(memory, all, 0), 3), whole);
  EXPECT_EQ(array_bytes(gather(memory, ReceiveView(), 0), 3), whole) << "where nothing is received";
  EXPECT_EQ(array_bytes(scatter(all, memory, 0), 3), whole);
  EXPECT_EQ(array_bytes(scatter(SendView(), memory, 0), 3), whole) << "where nothing is sent";
  EXPECT_EQ(array_bytes(reduce_scatter(all, memory), 3), whole);
  const std::array<std::size_t, 3> counts{1, 2, 9};
  EXPECT_EQ(array_bytes(all_gather(memory, all, Blocks(counts)), 3), whole);
  EXPECT_EQ(array_bytes(reduce_scatter(all, memory, sum, Blocks(counts)), 3), whole);
}

// What not all ranks know is asked where it matters, and only there.
TEST(Choice, SizesThatNotAllRanksKnowAreAsked) {
  std::array<float, 12> all{}, more{};
  const std::array<std::size_t, 3> counts{1, 2, 9};
  const Blocks blocks(counts);
  const Operation ops[] = {scatter(all, memory, 0, blocks), gather(memory, all, 0, blocks),
                           all_to_all(all, blocks, more, blocks)};
  const Chooser three = chooser("", 3), eight = chooser("", 8), on_nodes = chooser("", 8, false);
  const Chooser by_file = chooser("gather bytes<=1K shared\ngather mpi\n", 3);
  for (const Operation& op : ops) {
    EXPECT_FALSE(three.asks(op)) << "shared memory has all sizes";
    EXPECT_EQ(three.of(op), Way::shared);
    EXPECT_EQ(eight.asks(op), op.kind == OperationKind::scatter);
    EXPECT_FALSE(on_nodes.asks(op)) << "there is no other way";
    EXPECT_EQ(by_file.asks(op), op.kind == OperationKind::gather);
  }
  EXPECT_FALSE(eight.asks(scatter(all, memory, 0)));
  EXPECT_FALSE(eight.asks(all_gather(memory, all, blocks))) << "all ranks know its blocks";
  EXPECT_EQ(eight.of(ops[2]), Way::shared) << "the rule for MPI is of equal blocks";
  EXPECT_EQ(eight.of_asked(OperationKind::scatter, (256 << 10) - 1), Way::shared);
  EXPECT_EQ(eight.of_asked(OperationKind::scatter, 256 << 10), Way::mpi);
  EXPECT_EQ(chooser("", 9).of_asked(OperationKind::scatter, 512 << 10), Way::shared);
  EXPECT_EQ(eight.describe(ops[0]),
            "by the bytes of all blocks, told when all ranks have come: up to 262143 shared memory "
            "(by default), above 262143 the MPI library (by default)");
}

// Long equal blocks among many ranks: never slower than the MPI library, often faster.
TEST(Choice, LongBlocksAmongManyRanksAreReadOrLeftToMpi) {
  std::vector<float> block(1 << 18), all(8 << 18);
  const Operation ops[] = {all_to_all(all, all), scatter(all, block, 0)};
  for (const Operation& op : ops) {
    const Chooser eight = chooser("", 8), on_nodes = chooser("", 8, false);
    EXPECT_EQ(eight.of(op), Way::direct_or_mpi);
    EXPECT_EQ(eight.describe(op),
              "read from the other processes where that pays and can be done, otherwise the MPI "
              "library (by default)");
    EXPECT_EQ(on_nodes.of(op), Way::shared);
    EXPECT_EQ(chooser("", 3).of(op), Way::shared);
    EXPECT_FALSE(has_way(op.kind, Way::direct_or_mpi)) << "no table can ask for it";
  }
}

// Many readers of one rank get into each other's way: up to some length that is settled beforehand.
TEST(Choice, WhatIsNeverReadIsPlainlyTheMpiLibrarys) {
  std::vector<float> block(1 << 16);
  const auto scatter_among = [&](std::size_t ranks, std::size_t bytes) {
    Operation op = scatter(SendView(), block, 0);
    op.receive.count = bytes / sizeof(float) / ranks;
    return chooser("", ranks).of(op);
  };
  EXPECT_EQ(scatter_among(8, (256 << 10) - 32), Way::shared);
  EXPECT_EQ(scatter_among(8, 256 << 10), Way::mpi);
  EXPECT_EQ(scatter_among(16, 512 << 10), Way::shared);
  EXPECT_EQ(scatter_among(16, (512 << 10) + 64), Way::mpi);
  for (const std::size_t ranks : {8U, 16U}) {
    EXPECT_EQ(scatter_among(ranks, (4 << 20) - 4 * ranks), Way::mpi);
    EXPECT_EQ(scatter_among(ranks, 4 << 20), Way::direct_or_mpi);
  }
  EXPECT_EQ(scatter_among(3, 3 << 20), Way::shared);
  EXPECT_EQ(scatter_among(4, 512 << 10), Way::shared);
  EXPECT_EQ(scatter_among(4, (512 << 10) + 16), Way::direct_or_mpi);
}

}  // namespace
}  // namespace tutti::test
