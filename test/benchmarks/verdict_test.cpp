#include "bench/verdict.hpp"

#include <gtest/gtest.h>

namespace tutti::bench {
namespace {

Row row_with_ratio(std::optional<double> ratio) {
  Row row;
  row.collective = "all_reduce";
  row.ratio = ratio;
  return row;
}

TEST(Verdict, GoodRows) {
  Verdict verdict(0.9);
  verdict.add(row_with_ratio(0.95));
  EXPECT_EQ(verdict.status(), 0);
  EXPECT_TRUE(verdict.lines().empty());
}

TEST(Verdict, RatioBelowTheLimit) {
  Verdict verdict(0.9);
  verdict.add(row_with_ratio(0.85));
  EXPECT_EQ(verdict.status(), 1);
  EXPECT_EQ(verdict.lines().size(), 1U);
}

TEST(Verdict, RowsWithoutRatioAreToldNotFailed) {
  Verdict verdict(0.9);
  verdict.add(row_with_ratio({}));
  EXPECT_EQ(verdict.status(), 0);
  EXPECT_EQ(verdict.lines().size(), 1U);
}

TEST(Verdict, NoRowsAreTold) {
  const Verdict verdict({});
  EXPECT_EQ(verdict.status(), 2);
  EXPECT_EQ(verdict.lines().size(), 1U);
}

TEST(Verdict, WrongDataAndErrorsFailAlways) {
  Row wrong;
  wrong.wrong = 3;
  Verdict first({});
  first.add(wrong);
  EXPECT_EQ(first.status(), 1);
  Row failed;
  failed.error = "broken";
  Verdict second({});
  second.add(failed);
  EXPECT_EQ(second.status(), 1);
}

}  // namespace
}  // namespace tutti::bench
