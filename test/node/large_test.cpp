// Results that no cache holds are written past the caches, to whatever address.
#include <gtest/gtest.h>
#include <tutti/tutti.hpp>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "support/world.hpp"

namespace tutti::test {
namespace {

/// Elements go round through the array; their sums fit every type.
constexpr std::size_t period = 7;

int element(std::size_t i, int of_rank) {
  return static_cast<int>((i + static_cast<std::size_t>(of_rank)) % period);
}

template <class T>
void expect_sums(std::span<const T> result) {
  T expected[period];
  for (std::size_t i = 0; i < period; ++i) {
    int total = 0;
    for (int r = 0; r < size(); ++r) total += element(i, r);
    expected[i] = static_cast<T>(total);
  }
  for (std::size_t i = 0, turn = 0; i < result.size();
       ++i, turn = turn + 1 == period ? 0 : turn + 1)
    if (result[i] != expected[turn]) FAIL() << "element " << i;
}

template <class T>
void check(const Communicator& world, std::size_t shift) {
  const std::size_t count = (std::size_t{20} << 20) / sizeof(T) + 3;
  std::vector<T> in(count), out(count + 2 * shift, T(99));
  for (std::size_t i = 0; i < count; ++i) in[i] = static_cast<T>(element(i, rank()));
  const auto middle = std::span<T>(out).subspan(shift, count);
  world.all_reduce(in, middle, sum);
  expect_sums<T>(middle);
  std::fill(middle.begin(), middle.end(), T(99));
  world.reduce(in, middle, sum, 0);
  if (rank() == 0) expect_sums<T>(middle);
  for (std::size_t i = 0; i < shift; ++i) {
    EXPECT_EQ(out[i], T(99)) << "before the result";
    EXPECT_EQ(out[count + shift + i], T(99)) << "behind it";
  }
}

TEST(Large, ResultsAreRightAtEveryAlignment) {
  const Communicator world(MPI_COMM_WORLD);
  check<float>(world, 0);
  check<float>(world, 1);
  check<double>(world, 3);
  check<std::int8_t>(world, 5);
}

}  // namespace
}  // namespace tutti::test
