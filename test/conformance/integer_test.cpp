// Integer arithmetic at its limits; expected values by hand.
#include <limits>

#include "conformance/fixture.hpp"
#include "support/typed.hpp"

namespace tutti::test {
namespace {

class Integers : public Conformance {
 protected:
  template <class T>
  std::vector<T> result_of(const std::vector<T>& mine, ReduceOp op) {
    Area data = area_of(data_type_v<T>, bytes_of(mine));
    const Operation operation = all_reduce(data.receive(), op);
    if (!serves(operation)) return {};
    run({operation});
    return values_of<T>(data.read(0, mine.size()));
  }

  template <class T>
  void expect_wrapping() {
    constexpr T largest = std::numeric_limits<T>::max();
    constexpr T least = std::numeric_limits<T>::min();
    // largest + 1 + 0 ... wraps to the least; 2^(bits-1) doubled is 0.
    const T addend = rank() == 0 ? largest : rank() == 1 ? T{1} : T{0};
    const auto sums = result_of<T>({addend}, sum);
    if (!sums.empty() && size() > 1) {
      EXPECT_EQ(sums[0], least);
    }
    const auto products =
        result_of<T>({static_cast<T>(rank() == 0 ? T(largest / 2 + 1) : T{2})}, prod);
    if (products.empty() || size() < 2) return;
    // (2^(b-2)) * 2 is the least value of a signed type of b bits; of an unsigned one 2^(b-1) * 2
    // is 0.
    const bool is_signed = std::numeric_limits<T>::is_signed;
    const T expected = is_signed && size() == 2 ? least : T{0};
    EXPECT_EQ(products[0], expected);
  }

  // Every rank holds the same extreme: the mean is that, though the sum does not fit.
  template <class T>
  void expect_exact_mean() {
    const std::vector<T> extremes{std::numeric_limits<T>::max(), std::numeric_limits<T>::min(),
                                  static_cast<T>(std::numeric_limits<T>::max() - 1)};
    const auto means = result_of<T>(extremes, avg);
    if (!means.empty()) {
      EXPECT_EQ(means, extremes) << sizeof(T);
    }
  }
};
TUTTI_ON_EVERY_BACKEND(Integers);

TEST_P(Integers, SumAndProductWrap) {
  expect_wrapping<std::int8_t>();
  expect_wrapping<std::uint8_t>();
  expect_wrapping<std::int16_t>();
  expect_wrapping<std::uint16_t>();
  expect_wrapping<std::int32_t>();
  expect_wrapping<std::uint32_t>();
  expect_wrapping<std::int64_t>();
  expect_wrapping<std::uint64_t>();
}

TEST_P(Integers, MeanIsNeverThatOfAWrappedSum) {
  expect_exact_mean<std::int8_t>();
  expect_exact_mean<std::uint8_t>();
  expect_exact_mean<std::int16_t>();
  expect_exact_mean<std::uint16_t>();
  expect_exact_mean<std::int32_t>();
  expect_exact_mean<std::uint32_t>();
  expect_exact_mean<std::int64_t>();
  expect_exact_mean<std::uint64_t>();
}

// Case 52, and the sign: -7 / 2 is -3.
TEST_P(Integers, MeanTruncatesTowardZero) {
  const int n = size();
  // Rank 0 holds the whole sum: n * q + r for a remainder below n.
  const auto whole = [&](int value) { return rank() == 0 ? value : 0; };
  const std::vector<int> mine{whole(5 * n + n - 1), whole(-(5 * n + n - 1)), whole(n - 1),
                              whole(1 - n), 5};
  const auto means = result_of<int>(mine, avg);
  if (!means.empty()) {
    EXPECT_EQ(means, (std::vector<int>{5, -5, 0, 0, 5}));
  }
  const auto wide =
      result_of<std::int64_t>({rank() == 0 ? std::numeric_limits<std::int64_t>::min() : -1}, avg);
  if (!wide.empty() && n == 2) {
    EXPECT_EQ(wide[0], -4611686018427387904);
  }
}

TEST_P(Integers, UnsignedValuesCompareAsUnsigned) {
  const std::vector<std::uint32_t> mine{rank() == 0 ? 0xffffffffU : 1U};
  const std::vector<std::uint64_t> wide{rank() == 0 ? ~std::uint64_t{0} : 1U};
  const std::vector<std::uint8_t> narrow{static_cast<std::uint8_t>(rank() == 0 ? 200 : 100)};
  if (size() < 2) return;
  const auto least = result_of(mine, min);
  if (least.empty()) return;
  EXPECT_EQ(least[0], 1U);
  EXPECT_EQ(result_of(mine, max)[0], 0xffffffffU);
  EXPECT_EQ(result_of(wide, min)[0], 1U);
  EXPECT_EQ(result_of(wide, max)[0], ~std::uint64_t{0});
  EXPECT_EQ(result_of(narrow, max)[0], 200);
}

// The product is taken before the sum and wraps with it.
TEST_P(Integers, PreMultipliedTakesTheScalarInTheDatasType) {
  const auto doubled = result_of<std::int8_t>({100}, pre_multiplied(2));
  if (doubled.empty()) return;
  int total = 0;
  for (int r = 0; r < size(); ++r) total += 200;
  EXPECT_EQ(doubled[0], static_cast<std::int8_t>(total));
  EXPECT_EQ(result_of<std::uint64_t>({1}, pre_multiplied(std::uint64_t{1} << 63))[0],
            size() % 2 == 1 ? std::uint64_t{1} << 63 : 0);
  EXPECT_EQ(result_of<std::int32_t>({1}, pre_multiplied(-3.0))[0], -3 * size());
}

// A scalar that the data's type cannot hold is refused: 0.5 with integers, 300 with int8.
TEST_P(Integers, PreMultipliedRefusesAScalarThatDoesNotFit) {
  Area data = area_of(DataType::int8, Bytes(3, std::byte{1}));
  for (const ReduceOp op : {pre_multiplied(0.5), pre_multiplied(300), pre_multiplied(1e300)}) {
    const Failure failure = failure_of([&] { run({all_reduce(data.receive(), op)}); });
    ASSERT_TRUE(failure.thrown);
    EXPECT_EQ(failure.code, Errc::invalid_argument) << failure.text;
    EXPECT_TRUE(data.is_unchanged());
  }
}

// Nor is it turned into an infinity or the largest value.
TEST_P(Integers, PreMultipliedRefusesAScalarBeyondTheLargestValue) {
  const auto expect_refused = [&](DataType type, const ReduceOp& op) {
    Area data = area_of(type, Bytes(3 * size_of(type), std::byte{0}));
    const Failure failure = failure_of([&] { run({all_reduce(data.receive(), op)}); });
    EXPECT_TRUE(failure.thrown) << to_string(type);
    EXPECT_EQ(failure.code, Errc::invalid_argument) << failure.text;
  };
  expect_refused(DataType::float8_e4m3, pre_multiplied(449));
  expect_refused(DataType::float8_e5m2, pre_multiplied(std::numeric_limits<float>::infinity()));
  expect_refused(DataType::float16, pre_multiplied(-70000.0));
  expect_refused(DataType::float32, pre_multiplied(1e300));
  expect_refused(DataType::complex64, pre_multiplied(std::complex<double>(0, 1e300)));
}

// Case 57: results are 0 or 1 whatever is added up.
TEST_P(Integers, BooleansStayBooleans) {
  const bool one = rank() == size() - 1;
  Area data = area_of(DataType::boolean, {std::byte{1}, one ? std::byte{1} : std::byte{0}});
  const Operation operation = all_reduce(data.receive(), sum);
  if (!serves(operation)) return;
  run({operation});
  EXPECT_TRUE(data.holds(0, {std::byte{1}, std::byte{1}}));
  Area product = area_of(DataType::boolean, {std::byte{1}, one ? std::byte{1} : std::byte{0}});
  run({all_reduce(product.receive(), prod)});
  EXPECT_TRUE(product.holds(0, {std::byte{1}, size() == 1 ? std::byte{1} : std::byte{0}}));
}

// Whatever byte the application stored: also where a scan has nothing to combine.
TEST_P(Integers, BooleansOfOtherBytesBecomeOne) {
  for (const ReduceOp& op : {sum, prod, min, max, logical_or, bitwise_and}) {
    const Area data = area_of(DataType::boolean, {std::byte{7}, std::byte{0}});
    for (const bool exclusive : {false, true}) {
      Area out = area_of(DataType::boolean, {std::byte{1}, std::byte{0}});
      const Operation operation = exclusive ? exclusive_scan(data.send(), out.receive(), op)
                                            : scan(data.send(), out.receive(), op);
      if (!serves(operation)) return;
      run({operation});
      EXPECT_TRUE(out.holds(0, {std::byte{1}, std::byte{0}})) << to_string(op.kind());
    }
  }
}

TEST_P(Integers, LogicalReductionsGiveZeroOrOne) {
  const auto both = result_of<std::int32_t>({rank() + 2, rank(), 0}, logical_and);
  if (both.empty()) return;
  EXPECT_EQ(both, (std::vector<std::int32_t>{1, 0, 0}));
  const auto odd =
      result_of<std::uint16_t>({7, static_cast<std::uint16_t>(rank() == 0 ? 9 : 0)}, logical_xor);
  EXPECT_EQ(odd, (std::vector<std::uint16_t>{static_cast<std::uint16_t>(size() % 2), 1}));
}

}  // namespace
}  // namespace tutti::test
