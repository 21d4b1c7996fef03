#include "bench/sizes.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

namespace tutti::bench {
namespace {

constexpr std::uint64_t gibi = std::uint64_t{1} << 30;

TEST(Sizes, ParseUnits) {
  EXPECT_EQ(parse_size("0"), 0U);
  EXPECT_EQ(parse_size("8"), 8U);
  EXPECT_EQ(parse_size("32K"), 32768U);
  EXPECT_EQ(parse_size("2m"), 2U << 20);
  EXPECT_EQ(parse_size("16G"), 16 * gibi);
  EXPECT_EQ(parse_size("1T"), 1024 * gibi);
  EXPECT_EQ(parse_size("1KiB"), 1024U);
  EXPECT_EQ(parse_size("1KB"), 1024U);
}

TEST(Sizes, RefuseWhatIsNone) {
  for (const char* text :
       {"", "K", "-1", "1.5M", "8X", "1KK", "1 K", "99999999999999999999", "16777216T", "0x10"})
    EXPECT_THROW(parse_size(text), std::invalid_argument) << text;
}

TEST(Sizes, SweepBeyondFourGibibytes) {
  const auto sizes = sweep(gibi, 16 * gibi, 2);
  EXPECT_EQ(sizes, (std::vector<std::uint64_t>{gibi, 2 * gibi, 4 * gibi, 8 * gibi, 16 * gibi}));
}

TEST(Sizes, SweepFromZeroEnds) {
  EXPECT_EQ(sweep(0, 4, 2), (std::vector<std::uint64_t>{0, 1, 2, 4}));
  EXPECT_EQ(sweep(0, 0, 2), (std::vector<std::uint64_t>{0}));
}

TEST(Sizes, SweepNeverOverflows) {
  constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(sweep(1, largest, 2).size(), 64U);
  EXPECT_EQ(sweep(largest, largest, largest).size(), 1U);
  EXPECT_EQ(sweep(8, 100, 3), (std::vector<std::uint64_t>{8, 24, 72}));
}

TEST(Sizes, SweepRefusesWhatWouldNotEnd) {
  EXPECT_THROW(sweep(8, 64, 1), std::invalid_argument);
  EXPECT_THROW(sweep(8, 64, 0), std::invalid_argument);
  EXPECT_THROW(sweep(64, 8, 2), std::invalid_argument);
}

TEST(Sizes, FormatIsTheInverseOfParse) {
  for (const char* text : {"0", "8", "1000", "1K", "1536", "64M", "3G", "1T"})
    EXPECT_EQ(format_size(parse_size(text)), text);
}

}  // namespace
}  // namespace tutti::bench
