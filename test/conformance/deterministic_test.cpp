// With Options::deterministic the result is the left fold in rank order, bit for bit, whatever the
// count.
#include <cmath>

#include "conformance/fixture.hpp"
#include "support/typed.hpp"

namespace tutti::test {
namespace {

// Order matters: adding these from the right gives other bits.
float value_of(int rank, std::size_t i) {
  const int exponent = static_cast<int>((i * 5 + static_cast<std::size_t>(rank) * 11) % 40) - 20;
  return std::ldexp(1.0F + 0.0137F * static_cast<float>((i * 31 + 7) % 83), exponent) *
         (rank % 2 == 0 ? 1.0F : -1.0F);
}

class Deterministic : public Conformance {
 protected:
  void SetUp() override {
    if (!GetParam().deterministic) GTEST_SKIP() << "no promise of an order";
  }
  // x0 + x1 + ... + x(last).
  static float fold(int last, std::size_t i) {
    float result = value_of(0, i);
    for (int r = 1; r <= last; ++r) result += value_of(r, i);
    return result;
  }
  std::vector<float> mine(std::size_t count) const {
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = value_of(rank(), i);
    return values;
  }
  std::vector<float> expected(std::size_t first, std::size_t count, int last) const {
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = fold(last, first + i);
    return values;
  }
};
TUTTI_ON_EVERY_BACKEND(Deterministic);

TEST_P(Deterministic, AllReduceAndReduceFoldInRankOrder) {
  for (const std::size_t count :
       {std::size_t{1}, std::size_t{17}, std::size_t{4097}, std::size_t{70001}}) {
    Area data = area_of(DataType::float32, bytes_of(mine(count)));
    Area rooted = area_of(DataType::float32, bytes_of(mine(count)));
    const int root = size() - 1;
    run({all_reduce(data.receive(), sum)});
    run({reduce(rooted.receive(), sum, root)});
    EXPECT_TRUE(data.holds(0, bytes_of(expected(0, count, size() - 1))));
    EXPECT_TRUE(rank() == root ? rooted.holds(0, bytes_of(expected(0, count, size() - 1)))
                               : rooted.is_unchanged());
  }
}

TEST_P(Deterministic, ReduceScatterAndScansFoldInRankOrder) {
  for (const std::size_t count : {std::size_t{3}, std::size_t{5000}}) {
    Area in = area_of(DataType::float32, bytes_of(mine(count * ranks())));
    Area out = area(DataType::float32, count);
    Area scanned = area_of(DataType::float32, bytes_of(mine(count)));
    run({reduce_scatter(in.send(), out.receive(), sum)});
    run({scan(scanned.send(), scanned.receive(), sum)});
    EXPECT_TRUE(out.holds(0, bytes_of(expected(self() * count, count, size() - 1))));
    EXPECT_TRUE(scanned.holds(0, bytes_of(expected(0, count, rank()))));
  }
}

TEST_P(Deterministic, WorksBegunAndPlannedGiveTheSameBits) {
  Area data = area_of(DataType::float32, bytes_of(mine(1000)));
  Prepared prepared = prepare({all_reduce(data.receive(), sum)});
  prepared.task->start();
  EXPECT_TRUE(prepared.task->wait(Deadline{}));
  EXPECT_TRUE(data.holds(0, bytes_of(expected(0, 1000, size() - 1))));
}

}  // namespace
}  // namespace tutti::test
