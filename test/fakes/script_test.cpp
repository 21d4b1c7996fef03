#include "core/script.hpp"

#include <gtest/gtest.h>

namespace {

using fake::Script;

TEST(FakeScriptTest, statements_are_matched) {
  const Script script(
      "fail ncclAllReduce call=3 rank=1 code=3 text='no space; really';"
      "progress ncclCommSplit polls=forever; version 22304; device uuid=1:3");
  EXPECT_EQ(script.error(), "");
  EXPECT_EQ(script.find_call("fail", "ncclAllReduce", 1, 2), nullptr);
  EXPECT_EQ(script.find_call("fail", "ncclAllReduce", 0, 3), nullptr);
  const auto* found = script.find_call("fail", "ncclAllReduce", 1, 3);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->number("code", 0), 3);
  EXPECT_EQ(found->text("text"), "no space; really");
  EXPECT_EQ(script.find("progress", "ncclCommSplit", 5)->number("polls", 0), -1);
}

TEST(FakeScriptTest, times_limits) {
  const Script script("fail cudaMalloc times=2");
  EXPECT_NE(script.find_call("fail", "cudaMalloc", 0, 1), nullptr);
  EXPECT_NE(script.find_call("fail", "cudaMalloc", 0, 2), nullptr);
  EXPECT_EQ(script.find_call("fail", "cudaMalloc", 0, 3), nullptr);
}

TEST(FakeScriptTest, mistakes_are_named) {
  for (const char* bad :
       {"fial ncclAllReduce", "fail", "fail ncclAllReduce cal=3", "fail ncclAllReduce call=x",
        "device uuid=1", "version new", "fail ncclAllReduce ncclReduce", "fail f text='open",
        "devices ncclAllReduce error=35"}) {
    EXPECT_NE(Script(bad).error(), "") << bad;
  }
}

}  // namespace
