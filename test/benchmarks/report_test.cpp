#include "bench/report.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <locale>
#include <sstream>

namespace tutti::bench {
namespace {

Row sample() {
  Row row;
  row.collective = "all_reduce";
  row.backend = "mpi";
  row.algorithm = "recursive doubling, then \"more\"";
  row.type = "float32";
  row.op = "sum";
  row.bytes = 4096;
  row.count = 1024;
  row.iterations = 1234567;
  row.time_us = {1.5, 2.25, 2.5, 1234.5, 5678.5};
  row.verified = true;
  return row;
}

std::string written(Format format, const std::vector<Row>& rows) {
  std::ostringstream out;
  const auto report = make_report(format, out);
  report->begin({});
  for (const Row& row : rows) report->add(row);
  report->end();
  return out.str();
}

/// Fields of a CSV line, quotes respected.
long fields(const std::string& line) {
  bool quoted = false;
  long count = 1;
  for (char c : line) {
    if (c == '"') quoted = !quoted;
    if (c == ',' && !quoted) ++count;
  }
  return count;
}

TEST(Report, JsonIsOneVersionedObject) {
  const auto object = nlohmann::json::parse(written(Format::json, {sample(), sample()}));
  EXPECT_EQ(object.at("schema_version"), schema_version);
  EXPECT_TRUE(object.at("environment").is_object());
  ASSERT_EQ(object.at("rows").size(), 2U);
  const auto& row = object.at("rows")[0];
  EXPECT_EQ(row.at("time_us").at("median"), 2.25);
  EXPECT_EQ(row.at("iterations"), 1234567);
  EXPECT_TRUE(row.at("root").is_null());
  EXPECT_TRUE(row.at("ratio").is_null());
  EXPECT_EQ(row.at("op"), "sum");
}

TEST(Report, JsonOfNoRowsAndOfForeignBytes) {
  EXPECT_TRUE(nlohmann::json::parse(written(Format::json, {})).at("rows").empty());
  Row row = sample();
  row.error = "not UTF-8: \xff";
  EXPECT_TRUE(nlohmann::json::parse(written(Format::json, {row})).is_object());
}

TEST(Report, CsvHasEquallyManyFieldsPerLine) {
  Row failed = sample();
  failed.error = "two\nlines, and a comma";
  Row compared = sample();
  compared.ratio = 1.5;
  std::istringstream text(written(Format::csv, {sample(), failed, compared}));
  std::string header;
  std::getline(text, header);
  int lines = 0;
  for (std::string line; std::getline(text, line); ++lines)
    EXPECT_EQ(fields(line), fields(header)) << line;
  EXPECT_EQ(lines, 3);
}

/// A thousands separator, as many locales have.
struct Grouping : std::numpunct<char> {
  char do_thousands_sep() const override { return '.'; }
  char do_decimal_point() const override { return ','; }
  std::string do_grouping() const override { return "\3"; }
};

TEST(Report, NumbersDoNotDependOnTheLocale) {
  const std::locale before = std::locale::global(std::locale(std::locale(), new Grouping));
  for (Format format : {Format::csv, Format::json}) {
    const std::string text = written(format, {sample()});
    EXPECT_NE(text.find("1234567"), std::string::npos) << text;
    EXPECT_NE(text.find("2.25"), std::string::npos) << text;
  }
  std::locale::global(before);
}

TEST(Report, TableTellsWhatTheRawLibraryLacks) {
  Row row = sample();
  row.against = "mpi";
  EXPECT_NE(written(Format::table, {row}).find("n/a"), std::string::npos);
}

}  // namespace
}  // namespace tutti::bench
