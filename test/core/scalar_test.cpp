// The scalar of pre_multiplied becomes one element of the data's type, or the operation is refused.
#include "core/scalar.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <optional>

#include "support/elements.hpp"

namespace tutti::test {
namespace {

// The element that the scalar becomes; nothing if the type cannot hold it.
template <class T, class S>
std::optional<T> as(S scalar) {
  T value{};
  if (!convert_scalar(pre_multiplied(scalar), data_type_v<T>, &value)) return std::nullopt;
  return value;
}

TEST(Scalar, AWholeNumberFitsEveryTypeThatReduces) {
  for (const DataType type : all_data_types) {
    if (type == DataType::byte || type == DataType::boolean) continue;
    std::byte element[16] = {};
    ASSERT_TRUE(convert_scalar(pre_multiplied(3), type, element)) << to_string(type);
    if (is_integer(type))
      with_integer(type, [&](auto zero) { EXPECT_EQ(load<decltype(zero)>(element), 3); });
    else if (is_complex(type))
      EXPECT_EQ(load_complex(type, element), std::complex<double>(3)) << to_string(type);
    else
      EXPECT_EQ(load_real(type, element), 3) << to_string(type);
  }
}

TEST(Scalar, IntegersTakeWholeNumbersInRange) {
  EXPECT_EQ(as<int>(-2.0), -2);
  EXPECT_EQ(as<int>(0.5), std::nullopt);
  EXPECT_EQ(as<std::int8_t>(127), 127);
  EXPECT_EQ(as<std::int8_t>(128), std::nullopt);
  EXPECT_EQ(as<std::int8_t>(-128), -128);
  EXPECT_EQ(as<std::uint8_t>(-1), std::nullopt);
  EXPECT_EQ(as<int>(std::numeric_limits<double>::quiet_NaN()), std::nullopt);
  EXPECT_EQ(as<int>(std::numeric_limits<double>::infinity()), std::nullopt);
  EXPECT_EQ(as<int>(std::complex<float>(1, 1)), std::nullopt);
}

// 2^63 is one more than the largest; as a double that looks like the largest itself.
TEST(Scalar, TheEndsOf64BitsAreExact) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  constexpr auto all = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(as<std::int64_t>(most), most);
  EXPECT_EQ(as<std::int64_t>(most - 1), most - 1);
  EXPECT_EQ(as<std::int64_t>(9223372036854775808.0), std::nullopt);
  EXPECT_EQ(as<std::int64_t>(-9223372036854775808.0), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(as<std::uint64_t>(all), all);
  EXPECT_EQ(as<std::uint64_t>(18446744073709551616.0), std::nullopt);
}

TEST(Scalar, FloatsRound) {
  EXPECT_EQ(as<float>(0.1), 0.1F);
  EXPECT_EQ(as<float>(1e300), std::nullopt);
  EXPECT_EQ(as<float>(std::numeric_limits<double>::infinity()),
            std::numeric_limits<float>::infinity());
  EXPECT_EQ(as<double>(float16(0.5F)), 0.5);
  EXPECT_EQ(float(as<float8_e4m3>(448).value()), 448.F);
  EXPECT_FALSE(as<float8_e4m3>(1000).has_value());
  EXPECT_EQ(as<double>(std::complex<double>(2, 1)), std::nullopt);
  EXPECT_EQ(as<double>(std::complex<double>(2, 0)), 2.0);
  EXPECT_EQ(as<std::complex<float>>(std::complex<double>(2, -1)), std::complex<float>(2, -1));
}

// Just above half way between 1 and the next float16: by way of float it would become a tie.
TEST(Scalar, SmallFloatsRoundOnce) {
  const double above_half = 1 + 0x1p-11 + 0x1p-40;
  EXPECT_EQ(float(as<float16>(above_half).value()), 1 + 0x1p-10F);
  EXPECT_EQ(float(as<float16>(1 + 0x1p-11).value()), 1.F);
}

TEST(Scalar, MessagesShowItsValue) {
  EXPECT_EQ(scalar_text(pre_multiplied(0.25F)), "0.25");
  EXPECT_EQ(scalar_text(pre_multiplied(std::int8_t{-7})), "-7");
}

}  // namespace
}  // namespace tutti::test
