// One element at a time, by hand: what `ReduceOp` promises and MPI libraries do not keep.
#include "core/arithmetic.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace tutti::test {
namespace {

using Kind = ReduceOp::Kind;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::uint64_t bits_of(double value) {
  return __builtin_bit_cast(std::uint64_t, value);
}

// The one that the library hands out: positive, quiet, without payload.
constexpr std::uint64_t quiet_nan_bits = 0x7ff8000000000000U;
// -NaN with a payload, as subtraction of infinities gives it on x86.
const double other_nan = __builtin_bit_cast(double, std::uint64_t{0xfff8000000001234U});

TEST(Arithmetic, PartialResultsAreWideEnough) {
  static_assert(std::is_same_v<Accumulator<Kind::sum, float16>, float>);
  static_assert(std::is_same_v<Accumulator<Kind::min, float8_e5m2>, float>);
  static_assert(std::is_same_v<Accumulator<Kind::sum, std::int8_t>, std::int8_t>);
  static_assert(std::is_same_v<Accumulator<Kind::avg, std::uint32_t>, double>);
  static_assert(std::is_same_v<Accumulator<Kind::avg, std::int64_t>, Int128>);
  static_assert(std::is_same_v<Accumulator<Kind::avg, std::uint64_t>, UInt128>);
  static_assert(std::is_same_v<Accumulator<Kind::avg, double>, double>);
  static_assert(std::is_same_v<Accumulator<Kind::sum, bool>, bool>);
}

TEST(Arithmetic, IntegersWrap) {
  EXPECT_EQ(add<std::int8_t>(127, 1), -128);
  EXPECT_EQ(add<std::uint8_t>(255, 2), 1);
  EXPECT_EQ(add<std::int32_t>(2147483647, 1), std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(add<std::int64_t>(std::numeric_limits<std::int64_t>::min(), -1),
            std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(multiply<std::int8_t>(-128, -1), -128);
  // 65535 x 65535 overflows the int that C++ would compute it in.
  EXPECT_EQ(multiply<std::uint16_t>(65535, 65535), 1);
  EXPECT_EQ(multiply<std::int64_t>(std::int64_t{1} << 62, 4), 0);
}

TEST(Arithmetic, ANanIsTheOneNanWhicheverSideItComesFrom) {
  for (const double value : {nan, other_nan}) {
    EXPECT_EQ(bits_of(add(value, 1.0)), quiet_nan_bits);
    EXPECT_EQ(bits_of(add(1.0, value)), quiet_nan_bits);
    EXPECT_EQ(bits_of(multiply(0.0, value)), quiet_nan_bits);
    EXPECT_EQ(bits_of(smaller(value, -1.0)), quiet_nan_bits);
    EXPECT_EQ(bits_of(smaller(-1.0, value)), quiet_nan_bits);
    EXPECT_EQ(bits_of(larger(value, 1.0)), quiet_nan_bits);
    EXPECT_EQ(bits_of(larger(1.0, value)), quiet_nan_bits);
  }
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(bits_of(add(infinity, -infinity)), quiet_nan_bits);
  const std::complex<double> half = add(std::complex<double>(other_nan, 1), {2, 3});
  EXPECT_EQ(bits_of(half.real()), quiet_nan_bits);
  EXPECT_EQ(half.imag(), 4);
}

TEST(Arithmetic, MinusZeroComesBeforeZero) {
  for (const bool turned : {false, true}) {
    const double a = turned ? 0.0 : -0.0;
    EXPECT_TRUE(std::signbit(smaller(a, -a)));
    EXPECT_FALSE(std::signbit(larger(a, -a)));
  }
  EXPECT_TRUE(std::signbit(larger(-0.0, -0.0)));
  EXPECT_EQ(smaller(-2.0F, 3.0F), -2.0F);
  EXPECT_EQ(larger(-2.0F, 3.0F), 3.0F);
}

TEST(Arithmetic, UnsignedCompareAsUnsigned) {
  EXPECT_EQ(smaller<std::uint8_t>(200, 100), 100);
  EXPECT_EQ(larger<std::uint64_t>(std::uint64_t{1} << 63, 1), std::uint64_t{1} << 63);
  EXPECT_EQ(larger<std::int8_t>(-56, 100), 100);
}

TEST(Arithmetic, ComplexProductsCommuteBitForBit) {
  const std::complex<double> a(0.1, -0.7), b(3.3, 0.2);
  const auto ab = multiply(a, b), ba = multiply(b, a);
  EXPECT_EQ(bits_of(ab.real()), bits_of(ba.real()));
  EXPECT_EQ(bits_of(ab.imag()), bits_of(ba.imag()));
  EXPECT_EQ(multiply(std::complex<double>(1, 2), {3, -5}), std::complex<double>(13, 1));
}

TEST(Arithmetic, BoolsAreOrAndAndXor) {
  for (const bool a : {false, true}) {
    for (const bool b : {false, true}) {
      EXPECT_EQ((combine<Kind::sum, bool>(a, b)), a || b);
      EXPECT_EQ((combine<Kind::max, bool>(a, b)), a || b);
      EXPECT_EQ((combine<Kind::prod, bool>(a, b)), a && b);
      EXPECT_EQ((combine<Kind::min, bool>(a, b)), a && b);
      EXPECT_EQ((combine<Kind::logical_and, bool>(a, b)), a && b);
      EXPECT_EQ((combine<Kind::bitwise_or, bool>(a, b)), a || b);
      EXPECT_EQ((combine<Kind::logical_xor, bool>(a, b)), a != b);
      EXPECT_EQ((combine<Kind::bitwise_xor, bool>(a, b)), a != b);
    }
  }
}

TEST(Arithmetic, LogicalResultsAreZeroOrOne) {
  EXPECT_EQ((combine<Kind::logical_and, int>(2, 4)), 1);
  EXPECT_EQ((combine<Kind::logical_and, int>(2, 0)), 0);
  EXPECT_EQ((combine<Kind::logical_or, std::uint8_t>(0, 128)), 1);
  EXPECT_EQ((combine<Kind::logical_xor, std::int64_t>(-7, 5)), 0);
  EXPECT_EQ((combine<Kind::bitwise_and, int>(6, 3)), 2);
  EXPECT_EQ((combine<Kind::bitwise_or, int>(6, 3)), 7);
  EXPECT_EQ((combine<Kind::bitwise_xor, int>(6, 3)), 5);
}

TEST(Arithmetic, QuotientsOfIntegersAreTruncatedTowardZero) {
  EXPECT_EQ(divide<std::int64_t>(-7, 2), -3);
  EXPECT_EQ(divide<std::int64_t>(7, 2), 3);
  EXPECT_TRUE(divide<Int128>(-7, 2) == -3) << "the divisor is unsigned, the quotient is not";
  EXPECT_EQ(divide(-7.0, 2), -3.5);
  EXPECT_EQ(divide(std::complex<float>(3, -5), 2), std::complex<float>(1.5F, -2.5F));
}

}  // namespace
}  // namespace tutti::test
