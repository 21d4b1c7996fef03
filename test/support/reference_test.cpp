// The reference itself, against values worked out by hand: a wrong one would condemn the right
// code.
#include "support/reference.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/formats.hpp"
#include "support/typed.hpp"

namespace tutti::test {
namespace {

using Kind = ReduceOp::Kind;

TEST(Reference, SmallFloatFormats) {
  EXPECT_EQ(encode(DataType::float16, 1), 0x3c00U);
  EXPECT_EQ(encode(DataType::float16, 65520), 0x7c00U);
  EXPECT_EQ(encode(DataType::float16, 65519), 0x7bffU);
  EXPECT_EQ(encode(DataType::bfloat16, 1), 0x3f80U);
  EXPECT_EQ(encode(DataType::bfloat16, 1 + std::ldexp(1, -8)), 0x3f80U) << "a tie goes to even";
  EXPECT_EQ(encode(DataType::bfloat16, 1 + 3 * std::ldexp(1, -8)), 0x3f82U);
  EXPECT_EQ(encode(DataType::float8_e4m3, 1), 0x38U);
  EXPECT_EQ(encode(DataType::float8_e4m3, 500), 0x7eU);
  EXPECT_EQ(encode(DataType::float8_e5m2, -1), 0xbcU);
  EXPECT_EQ(decode(DataType::float8_e4m3, 0x7e), 448);
  EXPECT_EQ(decode(DataType::float8_e5m2, 0x7b), 57344);
  EXPECT_TRUE(std::isinf(decode(DataType::float8_e5m2, 0x7c)));
  EXPECT_TRUE(std::isnan(decode(DataType::float8_e4m3, 0x7f)));
}

TEST(Reference, Reductions) {
  const std::vector<Bytes> bytes = {bytes_of<std::int8_t>({100, -7}),
                                    bytes_of<std::int8_t>({100, 0})};
  EXPECT_EQ(reduced(DataType::int8, Kind::sum, bytes), bytes_of<std::int8_t>({-56, -7}));
  EXPECT_EQ(reduced(DataType::int8, Kind::avg, bytes), bytes_of<std::int8_t>({100, -3}));
  EXPECT_EQ(reduced(DataType::int8, Kind::prod, bytes), bytes_of<std::int8_t>({16, 0}));
  EXPECT_EQ(reduced(DataType::int8, Kind::logical_or, {bytes[1]}), bytes_of<std::int8_t>({1, 0}));
  const std::vector<Bytes> floats = {bytes_of<float>({1, 0.0F}), bytes_of<float>({3, -0.0F})};
  EXPECT_EQ(reduced(DataType::float32, Kind::avg, floats), bytes_of<float>({2, 0.0F}));
  EXPECT_EQ(reduced(DataType::float32, Kind::min, floats), bytes_of<float>({1, -0.0F}));
  EXPECT_EQ(reduced(DataType::float32, Kind::max, floats), bytes_of<float>({3, 0.0F}));
  const std::vector<Bytes> complexes(2, bytes_of<std::complex<double>>({{1, 2}}));
  EXPECT_EQ(reduced(DataType::complex128, Kind::prod, complexes),
            bytes_of<std::complex<double>>({{-3, 4}}));
}

// Sums of the patterns must not depend on the order, or the suite would ask for too much.
TEST(Reference, PatternsReduceExactly) {
  for (const DataType type : {DataType::float16, DataType::bfloat16, DataType::float8_e4m3,
                              DataType::float8_e5m2, DataType::float32})
    for (const Kind kind : {Kind::sum, Kind::prod}) {
      std::vector<Bytes> inputs;
      for (int r = 0; r < 8; ++r) inputs.push_back(pattern(type, kind, r, 500));
      for (std::size_t at = 0; at < inputs[0].size(); at += element_size(type)) {
        float single = kind == Kind::sum ? 0 : 1;
        double wide = single;
        for (const Bytes& input : inputs) {
          const double value = load_real(type, &input[at]);
          single = kind == Kind::sum ? single + static_cast<float>(value)
                                     : single * static_cast<float>(value);
          wide = kind == Kind::sum ? wide + value : wide * value;
        }
        ASSERT_EQ(static_cast<double>(single), wide);
      }
    }
}

}  // namespace
}  // namespace tutti::test
