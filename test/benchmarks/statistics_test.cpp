#include "bench/statistics.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace tutti::bench {
namespace {

std::vector<double> one_to(int last) {
  std::vector<double> values(static_cast<std::size_t>(last));
  std::iota(values.rbegin(), values.rend(), 1.0);
  return values;
}

TEST(Statistics, SummaryOfHundred) {
  const Summary summary = summarise(one_to(100));
  EXPECT_EQ(summary.min, 1);
  EXPECT_EQ(summary.median, 50.5);
  EXPECT_EQ(summary.mean, 50.5);
  EXPECT_EQ(summary.p99, 99);
  EXPECT_EQ(summary.max, 100);
}

TEST(Statistics, FewSamples) {
  EXPECT_EQ(summarise({}).median, 0);
  const Summary one = summarise({7});
  EXPECT_EQ(one.min, 7);
  EXPECT_EQ(one.median, 7);
  EXPECT_EQ(one.p99, 7);
  EXPECT_EQ(median({3, 1, 2}), 2);
}

TEST(Statistics, MedianIgnoresAnOutlier) {
  EXPECT_EQ(median({1, 1, 1, 1, 1000}), 1);
}

TEST(Statistics, UncertaintyShrinksWithSamples) {
  EXPECT_EQ(median_uncertainty({1, 1, 1}), 1);
  EXPECT_EQ(median_uncertainty(std::vector<double>(10, 5.0)), 0);
  EXPECT_GT(median_uncertainty(one_to(10)), median_uncertainty(one_to(1000)));
  // 100 samples: the interval reaches 9.8 samples to each side of the middle.
  EXPECT_NEAR(median_uncertainty(one_to(100)), 0.2, 0.02);
}

}  // namespace
}  // namespace tutti::bench
