#include "core/arithmetic.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

#include "core/small_float.hpp"

namespace {

using fake::decode;
using fake::encode;

TEST(FakeArithmeticTest, every_code_of_a_small_float_survives) {
  for (const auto format :
       {fake::half_format, fake::bfloat16_format, fake::e4m3_format, fake::e5m2_format}) {
    const std::uint32_t codes = 1U << (1 + format.ebits + format.mbits);
    for (std::uint32_t code = 0; code < codes; ++code) {
      const double value = decode(format, code);
      const bool eight_bits = format.ebits + format.mbits == 7;
      if (std::isnan(value) || (std::isinf(value) && eight_bits)) continue;
      ASSERT_EQ(encode(format, value), code) << format.ebits << ' ' << code;
    }
  }
}

TEST(FakeArithmeticTest, known_values_and_rounding) {
  EXPECT_EQ(encode(fake::half_format, 1.0), 0x3C00U);
  EXPECT_EQ(encode(fake::half_format, 65504.0), 0x7BFFU);
  EXPECT_EQ(encode(fake::half_format, 65520.0), 0x7C00U);
  EXPECT_EQ(encode(fake::half_format, 1 + std::ldexp(1.0, -11)), 0x3C00U);  // tie to even
  EXPECT_EQ(encode(fake::bfloat16_format, 0.5), 0x3F00U);
  EXPECT_EQ(encode(fake::e4m3_format, 1000.0), 0x7EU);  // 448, the largest
  EXPECT_EQ(decode(fake::e4m3_format, 0x7E), 448.0);
  EXPECT_EQ(encode(fake::e5m2_format, 1e9), 0x7BU);  // 57344, the largest
  EXPECT_TRUE(std::isnan(decode(fake::e4m3_format, 0x7F)));
}

template <typename T>
T reduce(ncclRedOp_t op, ncclDataType_t type, T a, T b) {
  fake::Reduction reduction;
  reduction.op = op;
  fake::prepare(&a, 1, type, reduction, 2);
  fake::prepare(&b, 1, type, reduction, 2);
  fake::combine(&a, &b, 1, type, reduction);
  fake::finish(&a, 1, type, reduction, 2);
  return a;
}

TEST(FakeArithmeticTest, integers_wrap_and_average_by_division) {
  EXPECT_EQ(reduce<std::int8_t>(ncclSum, ncclInt8, 127, 1), -128);
  EXPECT_EQ(reduce<std::uint8_t>(ncclMax, ncclUint8, 200, 100), 200);
  EXPECT_EQ(reduce<std::int8_t>(ncclMin, ncclInt8, -1, 100), -1);
  EXPECT_EQ(reduce<std::int32_t>(ncclAvg, ncclInt32, -4, 1), -1);
  EXPECT_EQ(reduce<std::int8_t>(ncclAvg, ncclInt8, 127, 127), -1);  // of the wrapped sum
  EXPECT_EQ(reduce<std::uint32_t>(ncclAvg, ncclUint32, 4000000000U, 2), 2000000001U);
  EXPECT_EQ(reduce<std::int32_t>(ncclProd, ncclInt32, -3, 5), -15);
}

TEST(FakeArithmeticTest, floats) {
  EXPECT_EQ(reduce<float>(ncclAvg, ncclFloat32, 1, 2), 1.5F);
  EXPECT_EQ(reduce<float>(ncclMax, ncclFloat32, std::numeric_limits<float>::quiet_NaN(), 2), 2.0F);
  EXPECT_EQ(reduce<std::uint16_t>(ncclSum, ncclFloat16, 0x3C00, 0x4000), 0x4200);
  EXPECT_EQ(reduce<std::uint8_t>(ncclSum, ncclFloat8e4m3, 0x38, 0x38), 0x40);
}

}  // namespace
