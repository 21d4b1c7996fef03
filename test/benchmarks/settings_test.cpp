#include "bench/settings.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace tutti::bench {
namespace {

Parsed parsed(std::vector<const char*> arguments, int ranks = 4) {
  arguments.insert(arguments.begin(), "tutti-bench");
  return parse(static_cast<int>(arguments.size()), arguments.data(), ranks);
}

TEST(Settings, Defaults) {
  const Parsed result = parsed({});
  ASSERT_TRUE(result.settings) << result.text;
  EXPECT_EQ(result.settings->collectives, std::vector{&all_reduce_collective});
  EXPECT_EQ(result.settings->types, std::vector{DataType::float32});
  EXPECT_EQ(result.settings->sizes.front(), 8U);
  EXPECT_EQ(result.settings->sizes.back(), 64U << 20);
  EXPECT_TRUE(result.settings->check);
  EXPECT_FALSE(result.settings->fail_below);
}

TEST(Settings, ListsBySpaceAndComma) {
  const Parsed result = parsed({"broadcast", "all_gather", "--type", "int8", "bfloat16", "--op",
                                "sum,max", "--sizes", "8,1K,1M", "--no-check"});
  ASSERT_TRUE(result.settings) << result.text;
  EXPECT_EQ(result.settings->collectives.size(), 2U);
  EXPECT_EQ(result.settings->types, (std::vector{DataType::int8, DataType::bfloat16}));
  EXPECT_EQ(result.settings->ops.size(), 2U);
  EXPECT_EQ(result.settings->sizes, (std::vector<std::uint64_t>{8, 1024, 1 << 20}));
  EXPECT_FALSE(result.settings->check);
}

TEST(Settings, TheLargestNumberIsOne) {
  const Parsed result =
      parsed({"--iterations", "9223372036854775807", "--factor", "18446744073709551615"});
  ASSERT_TRUE(result.settings) << result.text;
  EXPECT_EQ(result.settings->effort.iterations, std::numeric_limits<std::int64_t>::max());
}

TEST(Settings, AllIsEveryCollective) {
  const Parsed result = parsed({"all"});
  ASSERT_TRUE(result.settings) << result.text;
  EXPECT_EQ(result.settings->collectives.size(), all_collectives().size());
}

TEST(Settings, FormatByTheFilesEnding) {
  EXPECT_EQ(parsed({"--output", "a.json"}).settings->format, Format::json);
  EXPECT_EQ(parsed({"--output", "a.csv"}).settings->format, Format::csv);
  EXPECT_EQ(parsed({"--output", "a.csv", "--format", "table"}).settings->format, Format::table);
}

TEST(Settings, WrongNamesGiveTheValidOnes) {
  const Parsed type = parsed({"--type", "float31"});
  EXPECT_EQ(type.status, 2);
  EXPECT_NE(type.text.find("float31"), std::string::npos) << type.text;
  EXPECT_NE(type.text.find("bfloat16"), std::string::npos) << type.text;
  EXPECT_NE(parsed({"all_redruce"}).text.find("all_reduce"), std::string::npos);
  EXPECT_NE(parsed({"--op", "mean"}).text.find("avg"), std::string::npos);
}

TEST(Settings, WhatCannotBeIsAUsageError) {
  const std::vector<std::vector<const char*>> wrong{{"--iterations", "0"},
                                                    {"--iterations", "-3"},
                                                    {"--iterations", "99999999999999999999"},
                                                    {"--iterations", "5x"},
                                                    {"--warmup", "9223372036854775808"},
                                                    {"--factor", "18446744073709551616"},
                                                    {"--root", "99999999999999999999"},
                                                    {"--warmup", "-1"},
                                                    {"--root", "4"},
                                                    {"--root", "-1"},
                                                    {"--factor", "1"},
                                                    {"--min", "1K", "--max", "8"},
                                                    {"--sizes", "8,x"},
                                                    {"--sizes", "8,,16"},
                                                    {"--sizes", "8,"},
                                                    {"--type", ",int8"},
                                                    {"--op", "sum,,max"},
                                                    {"--fail-below", "inf", "--against", "mpi"},
                                                    {"--fail-below", "0.9"},
                                                    {"--verb", "enqueue"},
                                                    {"--against", "nccl"},
                                                    {"--against", "memcpy", "--memory", "device"},
                                                    {"--buffer", "--memory", "device"},
                                                    {"--tune", "f", "--against", "mpi"},
                                                    {"--tune", "f", "send_recv"},
                                                    {"--no-such-option"},
                                                    {"--sizes", "8", "--min", "8"},
                                                    {"--format", "xml"}};
  for (const auto& arguments : wrong) {
    const Parsed result = parsed(arguments);
    EXPECT_FALSE(result.settings) << arguments.front();
    EXPECT_EQ(result.status, 2) << arguments.front();
    EXPECT_NE(result.text.find("Usage"), std::string::npos) << result.text;
  }
}

TEST(Settings, TuningTakesWhatHasSeveralWays) {
  const Parsed result = parsed({"--tune", "file"});
  ASSERT_TRUE(result.settings) << result.text;
  EXPECT_EQ(result.settings->tune, "file");
  EXPECT_EQ(result.settings->collectives.size(), all_collectives().size() - 2);
  EXPECT_EQ(result.settings->sizes.back(), 32U << 20);
  const Parsed some = parsed({"--tune", "file", "broadcast", "ping_pong", "--sizes", "8"});
  ASSERT_TRUE(some.settings) << some.text;
  EXPECT_EQ(some.settings->collectives, std::vector{&broadcast_collective});
  EXPECT_EQ(some.settings->sizes, std::vector<std::uint64_t>{8});
  EXPECT_EQ(parsed({"--tune", "file"}, 1).status, 2) << "one rank alone";
}

TEST(Settings, HelpIsNoError) {
  const Parsed result = parsed({"--help"});
  EXPECT_EQ(result.status, 0);
  EXPECT_NE(result.text.find("--fail-below"), std::string::npos);
}

}  // namespace
}  // namespace tutti::bench
