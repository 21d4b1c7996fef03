#include "tutti/error.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <set>
#include <string>

namespace tutti::test {
namespace {

TEST(Errors, HoldWhatHappenedWhereAndToWhom) {
  const Error error(Errc::invalid_argument, "root 7 is not below 4",
                    {"broadcast of 3 int32", 2, 4});
  const std::string text = error.what();
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  for (const char* word : {"root 7 is not below 4", "broadcast of 3 int32", "rank 2", "4"})
    EXPECT_NE(text.find(word), std::string::npos) << text;
  EXPECT_NE(text.find(host.data()), std::string::npos) << text;
  EXPECT_EQ(error.code(), Errc::invalid_argument);
  EXPECT_EQ(error.rank(), 2);
  EXPECT_EQ(error.size(), 4);
  EXPECT_EQ(error.operation(), "broadcast of 3 int32");
  EXPECT_EQ(error.cause(), "root 7 is not below 4");
}

TEST(Errors, AreCopiedWithoutLoss) {
  const Error first(Errc::mpi, "cause");
  const Error second = first;  // NOLINT: the copy is what is tested
  EXPECT_STREQ(first.what(), second.what());
  EXPECT_EQ(second.rank(), -1);
  EXPECT_EQ(second.code(), Errc::mpi);
}

TEST(Errors, CodesHaveNames) {
  std::set<std::string> names;
  for (int code = 0; code <= static_cast<int>(Errc::memory); ++code)
    names.emplace(to_string(static_cast<Errc>(code)));
  EXPECT_EQ(names.size(), 11U);
  EXPECT_TRUE(names.count("invalid_argument") == 1 && names.count("nccl") == 1);
}

}  // namespace
}  // namespace tutti::test
