// tutti's conversions against the exhaustive tables of support/formats.
#include "tutti/small_floats.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "support/formats.hpp"
#include "tutti/types.hpp"

namespace tutti::test {
namespace {

template <class T>
struct Tag {
  using Type = T;
  static constexpr std::uint32_t patterns = 1U << (8 * sizeof(T));
};

template <class T>
class SmallFloats : public testing::Test {};
using Types = testing::Types<float16, bfloat16, float8_e4m3, float8_e5m2>;
TYPED_TEST_SUITE(SmallFloats, Types);

template <class T>
T from_bits(std::uint32_t bits) {
  return T::from_bits(static_cast<decltype(T().bits())>(bits));
}

float float_of(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// The same value, the sign of zeros included, or NaN twice.
testing::AssertionResult same(double a, double b) {
  if (std::isnan(a) && std::isnan(b)) return testing::AssertionSuccess();
  if (a == b && std::signbit(a) == std::signbit(b)) return testing::AssertionSuccess();
  return testing::AssertionFailure() << a << " is not " << b;
}

template <class T>
testing::AssertionResult rounds_right(float value) {
  const DataType type = data_type_v<T>;
  const double expected = decode(type, encode(type, static_cast<double>(value)));
  const auto found = same(static_cast<double>(static_cast<float>(T(value))), expected);
  return found ? found : testing::AssertionFailure() << found.message() << " from " << value;
}

TYPED_TEST(SmallFloats, EveryBitPatternHasItsValue) {
  for (std::uint32_t bits = 0; bits < Tag<TypeParam>::patterns; ++bits) {
    const auto value = static_cast<float>(from_bits<TypeParam>(bits));
    ASSERT_TRUE(same(static_cast<double>(value), decode(data_type_v<TypeParam>, bits))) << bits;
  }
}

TYPED_TEST(SmallFloats, EveryValueSurvivesTheWayThroughFloat) {
  for (std::uint32_t bits = 0; bits < Tag<TypeParam>::patterns; ++bits) {
    const auto value = static_cast<float>(from_bits<TypeParam>(bits));
    if (std::isnan(value)) {
      ASSERT_TRUE(std::isnan(static_cast<float>(TypeParam(value))));
    } else if (std::isfinite(value)) {
      ASSERT_EQ(TypeParam(value).bits(), bits);
    }
  }
}

// Halfway between neighbours, and one float step to either side of it.
TYPED_TEST(SmallFloats, HalfwayCasesGoToEven) {
  for (std::uint32_t bits = 0; bits + 1 < Tag<TypeParam>::patterns / 2; ++bits) {
    const double low = decode(data_type_v<TypeParam>, bits);
    const double high = decode(data_type_v<TypeParam>, bits + 1);
    if (!std::isfinite(low) || !std::isfinite(high)) continue;
    const auto middle = static_cast<float>(low + (high - low) / 2);
    for (const float value :
         {middle, std::nextafter(middle, 0.0F), std::nextafter(middle, 1e30F), -middle})
      ASSERT_TRUE(rounds_right<TypeParam>(value)) << bits;
  }
}

// Floats of every exponent, with mantissas that set each bit.
TYPED_TEST(SmallFloats, FloatsOfEveryMagnitudeRoundRight) {
  std::uint32_t noise = 12345;
  for (std::uint32_t exponent = 0; exponent < 512; ++exponent) {
    for (int i = 0; i < 300; ++i) {
      noise = noise * 1664525U + 1013904223U;
      const std::uint32_t mantissa = i < 24 ? (1U << i) >> 1 : noise >> 9;
      ASSERT_TRUE(rounds_right<TypeParam>(float_of(exponent << 23 | mantissa)));
    }
  }
}

TYPED_TEST(SmallFloats, AreConstantExpressions) {
  constexpr TypeParam one(1.0F);
  static_assert(static_cast<float>(one) == 1.0F);
  static_assert(sizeof(TypeParam) <= 2 && std::is_trivially_copyable_v<TypeParam>);
  static_assert(TypeParam().bits() == 0);
}

// Known values, from the formats' definitions.
TEST(SmallFloatValues, LargestAndSmallest) {
  EXPECT_EQ(float16(65504.0F).bits(), 0x7bff);
  EXPECT_EQ(float16(65519.0F).bits(), 0x7bff);
  EXPECT_EQ(float16(65520.0F).bits(), 0x7c00) << "infinity from half a step beyond the largest";
  EXPECT_EQ(bfloat16(0.5F).bits(), 0x3f00);
  EXPECT_EQ(float8_e4m3(448.0F).bits(), 0x7e);
  EXPECT_EQ(float8_e4m3(1e9F).bits(), 0x7e) << "saturates";
  EXPECT_EQ(float8_e4m3(-1e9F).bits(), 0xfe);
  EXPECT_EQ(float8_e5m2(57344.0F).bits(), 0x7b);
  EXPECT_EQ(float8_e5m2(1e9F).bits(), 0x7b) << "saturates";
  EXPECT_EQ(static_cast<float>(float8_e4m3::from_bits(1)), std::ldexp(1.0F, -9));
  EXPECT_EQ(static_cast<float>(float8_e5m2::from_bits(1)), std::ldexp(1.0F, -16));
  EXPECT_EQ(static_cast<float>(float16::from_bits(1)), std::ldexp(1.0F, -24));
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(static_cast<float>(bfloat16(infinity)), infinity);
  EXPECT_TRUE(std::isnan(static_cast<float>(float8_e4m3(std::nanf("")))));
}

}  // namespace
}  // namespace tutti::test
