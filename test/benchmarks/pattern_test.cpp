#include "bench/pattern.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "bench/element_values.hpp"

// Patterns are what decides whether a collective is right: so they are checked themselves, by
// reducing in the type and in several orders, as a collective would.

namespace tutti::bench {
namespace {

constexpr std::size_t elements = 2500;

template <class T>
std::vector<T> sent(const Pattern::Recipe& recipe, int rank) {
  std::vector<T> values(elements);
  Pattern(recipe).fill(rank, 0, values.data(), elements);
  return values;
}

/// Sums in the type itself, beginning at any rank: every partial sum is rounded.
template <class T>
std::vector<T> sum_from(const Pattern::Recipe& recipe, int first) {
  std::vector<T> total = sent<T>(recipe, first);
  for (int step = 1; step < recipe.size; ++step) {
    const std::vector<T> other = sent<T>(recipe, (first + step) % recipe.size);
    for (std::size_t i = 0; i < elements; ++i)
      total[i] = static_cast<T>(static_cast<float>(total[i]) + static_cast<float>(other[i]));
  }
  return total;
}

template <class T>
class ExactSum : public testing::Test {};
using SmallTypes = testing::Types<float16, bfloat16, float8_e4m3, float8_e5m2, float>;
TYPED_TEST_SUITE(ExactSum, SmallTypes);

TYPED_TEST(ExactSum, InWhateverOrder) {
  for (const int size : {1, 2, 3, 8, 64, 300}) {
    const Pattern::Recipe recipe{data_type_v<TypeParam>, ReduceOp::Kind::sum, size, 5};
    Pattern pattern(recipe);
    const Segment all{.count = elements, .first = 0, .last = size};
    for (const int first : {0, size / 2, size - 1}) {
      const auto total = sum_from<TypeParam>(recipe, first);
      EXPECT_EQ(pattern.mismatches(all, 0, total.data(), elements), 0U)
          << size << " from " << first;
    }
  }
}

TEST(Pattern, IntegersWrap) {
  const Pattern::Recipe recipe{DataType::int8, ReduceOp::Kind::sum, 8, 1};
  std::vector<std::int8_t> total(elements);
  for (int rank = 0; rank < 8; ++rank) {
    const auto values = sent<std::int8_t>(recipe, rank);
    for (std::size_t i = 0; i < elements; ++i)
      total[i] = static_cast<std::int8_t>(total[i] + values[i]);
  }
  Pattern pattern(recipe);
  EXPECT_EQ(
      pattern.mismatches({.count = elements, .first = 0, .last = 8}, 0, total.data(), elements),
      0U);
}

TEST(Pattern, IntegerMeanIsTruncatedTowardZero) {
  const Pattern::Recipe recipe{DataType::int32, ReduceOp::Kind::avg, 3, 2};
  std::vector<std::int64_t> totals(elements);
  for (int rank = 0; rank < 3; ++rank) {
    const auto values = sent<std::int32_t>(recipe, rank);
    for (std::size_t i = 0; i < elements; ++i) totals[i] += values[i];
  }
  std::vector<std::int32_t> means(elements);
  for (std::size_t i = 0; i < elements; ++i) means[i] = static_cast<std::int32_t>(totals[i] / 3);
  Pattern pattern(recipe);
  EXPECT_EQ(
      pattern.mismatches({.count = elements, .first = 0, .last = 3}, 0, means.data(), elements),
      0U);
}

TEST(Pattern, OneFlippedBitIsSeen) {
  for (DataType type : all_data_types) {
    const Pattern::Recipe recipe{type, {}, 2, 3};
    Pattern pattern(recipe);
    std::vector<std::byte> bytes(elements * size_of(type));
    pattern.fill(1, 7, bytes.data(), elements);
    const Segment segment{.count = elements, .first = 1, .last = 2, .source = 7};
    EXPECT_EQ(pattern.mismatches(segment, 0, bytes.data(), elements), 0U) << to_string(type);
    bytes[bytes.size() / 2] ^= std::byte{1};
    EXPECT_EQ(pattern.mismatches(segment, 0, bytes.data(), elements), 1U) << to_string(type);
  }
}

TEST(Pattern, ShiftedSwappedAndOldDataIsSeen) {
  const Pattern::Recipe recipe{DataType::float32, {}, 2, 3};
  const auto values = sent<float>(recipe, 0);
  Pattern pattern(recipe);
  const Segment shifted{.count = 512, .first = 0, .last = 1, .source = 1024};
  EXPECT_GT(pattern.mismatches(shifted, 0, values.data(), 512), 400U);
  const Segment swapped{.count = 512, .first = 1, .last = 2};
  EXPECT_GT(pattern.mismatches(swapped, 0, values.data(), 512), 400U);
  Pattern next({DataType::float32, {}, 2, 4});
  const Segment same{.count = 512, .first = 0, .last = 1};
  EXPECT_GT(next.mismatches(same, 0, values.data(), 512), 400U);
}

TEST(Pattern, PoisonMustStay) {
  Pattern pattern({DataType::int32, ReduceOp::Kind::sum, 2, 1});
  std::vector<unsigned char> bytes(40, poison);
  EXPECT_EQ(pattern.mismatches({.count = 10}, 0, bytes.data(), 10), 0U);
  bytes[5] = 0;
  EXPECT_EQ(pattern.mismatches({.count = 10}, 0, bytes.data(), 10), 1U);
}

TEST(Pattern, EveryDefinedReductionHasVariedResults) {
  for (DataType type : all_data_types)
    for (ReduceOp::Kind kind : all_reduce_kinds) {
      if (kind == ReduceOp::Kind::user || !reducible(kind, type)) continue;
      Pattern pattern({type, kind, 3, 9});
      const std::vector<std::byte> zeros(elements * size_of(type));
      const Segment all{.count = elements, .first = 0, .last = 3};
      const std::size_t wrong = pattern.mismatches(all, 0, zeros.data(), elements);
      EXPECT_GT(wrong, elements / 20) << to_string(kind) << " of " << to_string(type);
    }
}

}  // namespace
}  // namespace tutti::bench
