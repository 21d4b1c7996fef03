// Floating-point arithmetic: NaN, signed zeros, rounding of the small floats, equal bits
// everywhere.
#include <cmath>
#include <limits>

#include "conformance/fixture.hpp"
#include "support/formats.hpp"
#include "support/typed.hpp"

namespace tutti::test {
namespace {

constexpr DataType real_types[] = {DataType::float16, DataType::bfloat16,    DataType::float32,
                                   DataType::float64, DataType::float8_e4m3, DataType::float8_e5m2};
constexpr double infinity = std::numeric_limits<double>::infinity();

class Floats : public Conformance {
 protected:
  // The result as numbers; empty if the backend does not serve it.
  std::vector<double> result_of(DataType type, const Bytes& mine, ReduceOp op) {
    Area data = area_of(type, mine);
    const Operation operation = all_reduce(data.receive(), op);
    if (!serves(operation)) return {};
    run({operation});
    const Bytes bytes = data.read(0, data.count());
    std::vector<double> result;
    for (std::size_t at = 0; at < bytes.size(); at += element_size(type))
      result.push_back(load_real(type, bytes.data() + at));
    bits_ = hash(bytes.data(), bytes.size(), bits_);
    return result;
  }

  void TearDown() override { EXPECT_TRUE(same_on_all_ranks(bits_)) << "bits differ across ranks"; }

 private:
  std::uint64_t bits_ = 1;
};
TUTTI_ON_EVERY_BACKEND(Floats);

// Element i has a NaN on rank i only, the last element on all ranks, at a payload of the rank's
// own.
TEST_P(Floats, AnyNanGivesNan) {
  for (const DataType type : real_types) {
    Bytes mine = reals(type, std::vector<double>(ranks() + 1, rank() + 1));
    const Bytes nan = reals(type, {std::nan("")});
    for (const std::size_t at : {self(), ranks()})
      std::copy(nan.begin(), nan.end(),
                mine.begin() + static_cast<std::ptrdiff_t>(at * element_size(type)));
    if (type == DataType::float32) {
      std::uint32_t payload = 0xffc00000U + static_cast<std::uint32_t>(rank()) * 7;
      std::memcpy(mine.data() + ranks() * 4, &payload, 4);
    }
    for (const ReduceOp op : {min, max, sum, prod, avg})
      for (const double value : result_of(type, mine, op)) {
        EXPECT_TRUE(std::isnan(value)) << value;
      }
  }
}

// -0 orders before +0, so that every rank and order gets the same bits.
TEST_P(Floats, ZerosHaveAnOrder) {
  if (size() < 2) return;
  for (const DataType type : real_types) {
    const Bytes mine = reals(type, {rank() == 0 ? -0.0 : 0.0, rank() == 0 ? 0.0 : -0.0});
    for (const double value : result_of(type, mine, min)) {
      EXPECT_TRUE(std::signbit(value));
    }
    for (const double value : result_of(type, mine, max)) {
      EXPECT_FALSE(std::signbit(value));
    }
  }
}

TEST_P(Floats, InfinitiesAreKept) {
  for (const DataType type : {DataType::float16, DataType::bfloat16, DataType::float32}) {
    const Bytes mine = reals(type, {rank() == 0 ? infinity : 1, rank() == 0 ? -infinity : 1});
    const auto sums = result_of(type, mine, sum);
    if (!sums.empty()) {
      EXPECT_EQ(sums, (std::vector<double>{infinity, -infinity}));
    }
  }
}

// Case 50: 65504 + 65504 does not fit float16. The mean of such values does (case 51).
TEST_P(Floats, Float16OverflowsToInfinityAndItsMeanDoesNot) {
  const Bytes mine = reals(DataType::float16, {65504, 60000});
  const auto sums = result_of(DataType::float16, mine, sum);
  if (sums.empty()) return;
  const double expected = size() == 1 ? 65504 : infinity;
  EXPECT_EQ(sums[0], expected);
  const auto means = result_of(DataType::float16, mine, avg);
  EXPECT_EQ(means, (std::vector<double>{65504, 60000}));
}

// A sum that rounds at every step never leaves 1 when half a unit is added; rounded once it does.
TEST_P(Floats, SmallFloatsRoundOnce) {
  if (GetParam().rounds_each_step) return;
  struct Half {
    DataType type;
    double half_unit_at_one;
  };
  for (const auto& [type, half] :
       {Half{DataType::float16, std::ldexp(1, -11)}, Half{DataType::bfloat16, std::ldexp(1, -8)},
        Half{DataType::float8_e4m3, std::ldexp(1, -4)},
        Half{DataType::float8_e5m2, std::ldexp(1, -3)}}) {
    const auto sums = result_of(type, reals(type, {rank() == 0 ? 1 : half}), sum);
    if (sums.empty()) return;
    Bytes expected = reals(type, {1 + half * (size() - 1)});
    EXPECT_EQ(sums[0], load_real(type, expected.data())) << static_cast<int>(type);
  }
}

TEST_P(Floats, MeanOfSmallFloatsDividesBeforeItRounds) {
  for (const DataType type : {DataType::float16, DataType::bfloat16}) {
    const auto means = result_of(type, reals(type, {rank() + 1.0}), avg);
    if (!means.empty()) {
      EXPECT_EQ(means[0], (size() + 1) / 2.0);
    }
  }
}

TEST_P(Floats, PreMultipliedBfloat16) {
  const auto halves =
      result_of(DataType::bfloat16, reals(DataType::bfloat16, {3, -5}), pre_multiplied(0.5));
  if (halves.empty()) return;
  EXPECT_EQ(halves, (std::vector<double>{1.5 * size(), -2.5 * size()}));
}

// Cases 61, 84: complex numbers reduce as such, not as pairs.
TEST_P(Floats, ComplexProductIsComplex) {
  const std::vector<std::complex<float>> mine{{1, 1}, {0, 1}};  // whose powers are exact
  Area data = area_of(DataType::complex64, bytes_of(mine));
  const Operation operation = all_reduce(data.receive(), prod);
  if (!serves(operation)) return;
  run({operation});
  std::complex<float> first(1), second(1);
  for (int r = 0; r < size(); ++r) {
    first *= mine[0];
    second *= mine[1];
  }
  EXPECT_TRUE(data.holds(0, bytes_of(std::vector<std::complex<float>>{first, second})));
}

// Case 66: values of mixed magnitude, where the order of additions shows.
TEST_P(Floats, EveryRankGetsTheSameBits) {
  for (const std::size_t count : counts()) {
    std::vector<double> values(count);
    for (std::size_t i = 0; i < count; ++i)
      values[i] = std::ldexp(1.0 + 0.37 * static_cast<double>(i % 91) + rank() / 7.0,
                             static_cast<int>((i * 7 + self() * 13) % 60) - 30);
    for (const DataType type : {DataType::float32, DataType::float64, DataType::bfloat16})
      result_of(type, reals(type, values), sum);
  }
}

}  // namespace
}  // namespace tutti::test
