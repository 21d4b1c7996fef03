#include "tutti/types.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "support/elements.hpp"
#include "support/reference.hpp"
#include "tutti/operation.hpp"

namespace tutti::test {
namespace {

template <class T>
void expect_size() {
  EXPECT_EQ(size_of(data_type_v<T>), sizeof(T)) << to_string(data_type_v<T>);
}

TEST(Types, SizesAreThoseOfTheCppTypes) {
  expect_size<signed char>();
  expect_size<unsigned short>();
  expect_size<int>();
  expect_size<long>();
  expect_size<unsigned long long>();
  expect_size<float16>();
  expect_size<float8_e5m2>();
  expect_size<float>();
  expect_size<double>();
  expect_size<std::complex<float>>();
  expect_size<std::complex<double>>();
  expect_size<bool>();
  expect_size<std::byte>();
  for (const DataType type : all_data_types) EXPECT_EQ(size_of(type), element_size(type));
}

TEST(Types, EveryEnumeratorIsListedAndHasItsOwnName) {
  std::set<std::string> names;
  int index = 0;
  for (const DataType type : all_data_types) {
    EXPECT_EQ(static_cast<int>(type), index++);
    EXPECT_TRUE(names.emplace(to_string(type)).second);
  }
  EXPECT_EQ(index, 18);
  EXPECT_EQ(to_string(DataType::boolean), "bool");
  EXPECT_EQ(to_string(DataType::float8_e4m3), "float8_e4m3");
  std::set<std::string> kinds;
  for (const ReduceOp::Kind kind : all_reduce_kinds) kinds.emplace(to_string(kind));
  EXPECT_EQ(kinds.size(), 13U);
  std::set<std::string> operations;
  for (const OperationKind kind : all_operation_kinds) operations.emplace(to_string(kind));
  EXPECT_EQ(operations.size(), 14U);
}

TEST(Types, PlainCharHasItsSignedness) {
  EXPECT_EQ(data_type_v<char>, std::is_signed_v<char> ? DataType::int8 : DataType::uint8);
  EXPECT_EQ(data_type_v<long>, sizeof(long) == 8 ? DataType::int64 : DataType::int32);
  EXPECT_EQ((data_type_v<const long long>), DataType::int64);
}

// The table of design.md, cell by cell.
TEST(Types, ReductionsAreDefinedAsTheDesignSays) {
  for (const DataType type : all_data_types)
    for (const ReduceOp::Kind kind : all_reduce_kinds) {
      if (kind == ReduceOp::Kind::user) continue;
      EXPECT_EQ(reducible(kind, type), defined(kind, type))
          << to_string(kind) << " of " << to_string(type);
    }
}

TEST(Types, OperationsDescribeThemselves) {
  std::vector<float> data(1024);
  const std::string text = describe(all_reduce(data, sum));
  for (const char* word : {"all_reduce", "1024", "float32", "sum"})
    EXPECT_NE(text.find(word), std::string::npos) << text;
  EXPECT_NE(describe(broadcast(data, 3)).find('3'), std::string::npos);
  EXPECT_NE(describe(barrier()).find("barrier"), std::string::npos);
}

}  // namespace
}  // namespace tutti::test
