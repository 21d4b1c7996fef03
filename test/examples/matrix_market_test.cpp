#include "matrix_market.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "poisson.hpp"

namespace {

const std::string banner = "%%MatrixMarket matrix coordinate real symmetric\n";
const std::string general = "%%MatrixMarket matrix coordinate real general\n";

cg::CsrMatrix read(const std::string& text) {
  std::istringstream in(text);
  return cg::read_matrix_market(in, "file.mtx");
}

using Sizes = std::vector<std::size_t>;
using Values = std::vector<double>;

TEST(MatrixMarket, CompletesTheUpperTriangleOfASymmetricFile) {
  const cg::CsrMatrix matrix = read(banner + "3 3 5\n1 1 4\n2 1 -1\n2 2 5\n3 2 -2\n3 3 6\n");
  EXPECT_EQ(matrix.offsets, (Sizes{0, 2, 5, 7}));
  EXPECT_EQ(matrix.columns, (Sizes{0, 1, 0, 1, 2, 1, 2}));
  EXPECT_EQ(matrix.values, (Values{4, -1, -1, 5, -2, -2, 6}));
}

TEST(MatrixMarket, TakesEntriesInAnyOrder) {
  EXPECT_EQ(read(banner + "2 2 3\n2 2 5\n2 1 -1\n1 1 4\n").values, (Values{4, -1, -1, 5}));
}

TEST(MatrixMarket, TakesAGeneralFileWithEqualTriangles) {
  const cg::CsrMatrix matrix = read(general + "2 2 4\n1 1 4\n1 2 -1\n2 1 -1\n2 2 5\n");
  EXPECT_EQ(matrix.offsets, (Sizes{0, 2, 4}));
  EXPECT_EQ(matrix.values, (Values{4, -1, -1, 5}));
}

TEST(MatrixMarket, TakesCommentsBlankLinesTabsAndCarriageReturns) {
  const std::string text =
      "%%MatrixMarket MATRIX Coordinate Integer Symmetric\r\n% a comment\r\n\r\n2\t2 2\r\n"
      "%another\r\n1 1 4\r\n   \r\n 2 2\t+5 \r\n\r\n";
  EXPECT_EQ(read(text).values, (Values{4, 5}));
}

TEST(MatrixMarket, TakesALastLineWithoutItsEnd) {
  EXPECT_EQ(read(banner + "1 1 1\n1 1 2.5e-3").values, (Values{2.5e-3}));
}

TEST(MatrixMarket, GivesARowWithoutEntriesItsPlace) {
  const cg::CsrMatrix matrix = read(general + "3 3 4\n1 1 1\n1 3 2\n3 1 2\n3 3 9\n");
  EXPECT_EQ(matrix.offsets, (Sizes{0, 2, 2, 4}));
}

TEST(MatrixMarket, ReadsWhatTheGeneratorWrites) {
  const std::string file = testing::TempDir() + "tutti_poisson_5x5.mtx";
  cg::write_poisson(5, file);
  const cg::CsrMatrix read = cg::read_matrix_market(file);
  const cg::CsrMatrix generated = cg::poisson_rows(5, 0, 25);
  EXPECT_EQ(read.offsets, generated.offsets);
  EXPECT_EQ(read.columns, generated.columns);
  EXPECT_EQ(read.values, generated.values);
}

struct Malformed {
  std::string name;
  std::string text;
  std::size_t line;
  std::string rule;  // part of the message
};

void PrintTo(const Malformed& malformed, std::ostream* out) {
  *out << malformed.name;
}

class MalformedMatrixMarket : public testing::TestWithParam<Malformed> {};

TEST_P(MalformedMatrixMarket, IsRefusedWithFileLineAndRule) {
  try {
    read(GetParam().text);
    FAIL() << "was accepted";
  } catch (const cg::MatrixMarketError& error) {
    const std::string what = error.what();
    EXPECT_EQ(error.line(), GetParam().line) << what;
    EXPECT_EQ(what.rfind("file.mtx:" + std::to_string(GetParam().line) + ": ", 0), 0U) << what;
    EXPECT_NE(what.find(GetParam().rule), std::string::npos) << what;
  }
}

std::string with_banner(const std::string& words) {
  return "%%MatrixMarket " + words + "\n1 1 1\n1 1 4\n";
}

const Malformed banners[] = {
    {"Empty", "", 1, "is empty"},
    {"NoBanner", "1 1 1\n1 1 4\n", 1, "the banner must be"},
    {"OtherFile",
     "\x7f"
     "ELF\x02\n",
     1, "not \"?ELF?\""},
    {"OnePercentSign", "%MatrixMarket matrix coordinate real symmetric\n", 1, "the banner must be"},
    {"BannerCutShort", "%%MatrixMarket matrix coordinate real\n1 1 1\n1 1 4\n", 1, "the banner"},
    {"Vector", with_banner("vector coordinate real symmetric"), 1, "\"vector\" in the banner"},
    {"Array", with_banner("matrix array real symmetric"), 1, "\"array\" in the banner"},
    {"Complex", with_banner("matrix coordinate complex symmetric"), 1, "\"complex\""},
    {"Pattern", with_banner("matrix coordinate pattern symmetric"), 1, "\"pattern\""},
    {"Skew", with_banner("matrix coordinate real skew-symmetric"), 1, "\"skew-symmetric\""},
    {"Hermitian", with_banner("matrix coordinate real hermitian"), 1, "\"hermitian\""},
};

const Malformed sizes[] = {
    {"NoSizes", banner + "% only a comment\n", 2, "ends before the size line"},
    {"TwoSizes", banner + "2 2\n1 1 4\n", 2, "three numbers"},
    {"FourSizes", banner + "\n2 2 2 2\n", 3, "three numbers"},
    {"SizeIsNoNumber", banner + "2 two 2\n", 2, "the number of columns must be"},
    {"SizeIsReal", banner + "2.0 2 2\n", 2, "the number of rows must be"},
    {"ZeroRows", banner + "0 0 0\n", 2, "the number of rows must be a positive"},
    {"ZeroEntries", banner + "1 1 0\n", 2, "the number of entries must be a positive"},
    {"NegativeRows", banner + "-3 -3 3\n", 2, "not \"-3\""},
    {"NegativeEntries", banner + "3 3 -3\n", 2, "the number of entries"},
    {"MoreThan64Bits", banner + "1 1 18446744073709551617\n", 2, "64-bit"},
    {"NotSquare", banner + "3 2 3\n", 2, "square, not 3 x 2"},
    {"FewerEntriesThanRows", banner + "5000000000 5000000000 3\n", 2, "cannot fill the diagonal"},
    {"EntriesBeyond32Bits", banner + "1 1 5000000000\n1 1 4\n", 3, "1 of the 5000000000"},
};

const Malformed entries[] = {
    {"RowIsNoNumber", banner + "1 1 1\nx 1 4\n", 3, "the row must be an integer, not \"x\""},
    {"ColumnIsReal", banner + "1 1 1\n1 1.5 4\n", 3, "the column must be an integer"},
    {"ValueIsNoNumber", banner + "1 1 1\n1 1 4,5\n", 3, "not \"4,5\""},
    {"TwoSigns", banner + "1 1 1\n1 1 +-4\n", 3, "not \"+-4\""},
    {"RealInAnIntegerFile", "%%MatrixMarket matrix coordinate integer symmetric\n1 1 1\n1 1 4.5\n",
     3, "64-bit integer, not \"4.5\""},
    {"ValueMissing", banner + "1 1 1\n1 1\n", 3, "a row, a column and a value"},
    {"OneFieldMore", banner + "1 1 1\n1 1 4 0\n", 3, "a row, a column and a value"},
    {"RowIsZero", banner + "1 1 1\n0 1 4\n", 3, "the row must lie in 1 to 1, and is 0"},
    {"RowIsNegative", banner + "1 1 1\n-1 1 4\n", 3, "is -1"},
    {"ColumnTooLarge", banner + "2 2 2\n1 1 4\n% comment\n2 3 4\n", 5, "the column must lie in"},
    {"Nan", banner + "1 1 1\n1 1 nan\n", 3, "finite"},
    {"Infinity", banner + "1 1 1\n1 1 -inf\n", 3, "finite"},
    {"BeyondFloat64", banner + "1 1 1\n1 1 1e999\n", 3, "float64"},
    {"TooFew", banner + "2 2 3\n1 1 4\n2 2 4\n", 4, "ends after 2 of the 3 entries"},
    {"TooMany", banner + "2 2 2\n1 1 4\n2 2 4\n\n2 1 1\n", 6, "one entry more than the 2"},
    {"UpperTriangle", banner + "2 2 3\n1 1 4\n1 2 1\n2 2 4\n", 4, "(1, 2) lies above"},
    {"Twice", banner + "2 2 3\n2 2 4\n1 1 4\n2 2 4\n", 5, "(2, 2) was given before, in line 3"},
    {"TwiceBelowTheDiagonal", banner + "2 2 4\n2 1 1\n1 1 4\n2 2 4\n2 1 1\n", 6,
     "(2, 1) was given before, in line 3"},
    {"TwiceInAGeneralFile", general + "2 2 4\n1 1 4\n2 2 4\n1 2 1\n1 2 1\n", 6, "(1, 2) was given"},
    {"MissingTwin", general + "2 2 3\n1 1 4\n2 1 1\n2 2 4\n", 4, "entry (1, 2) is missing"},
    {"UnequalTwin", general + "2 2 4\n1 1 4\n1 2 1\n2 1 2\n2 2 4\n", 4, "entry (2, 1) is 2"},
};

std::string name_of(const testing::TestParamInfo<Malformed>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Banner, MalformedMatrixMarket, testing::ValuesIn(banners), name_of);
INSTANTIATE_TEST_SUITE_P(Sizes, MalformedMatrixMarket, testing::ValuesIn(sizes), name_of);
INSTANTIATE_TEST_SUITE_P(Entries, MalformedMatrixMarket, testing::ValuesIn(entries), name_of);

TEST(MatrixMarket, TellsOfAFileThatIsNotThere) {
  try {
    cg::read_matrix_market("/nowhere/matrix.mtx");
    FAIL() << "was accepted";
  } catch (const cg::MatrixMarketError& error) {
    EXPECT_EQ(error.line(), 0U);
    EXPECT_EQ(std::string(error.what()),
              "/nowhere/matrix.mtx: cannot be opened: No such file or directory");
  }
}

TEST(MatrixMarket, TellsOfADirectory) {
  EXPECT_THROW(cg::read_matrix_market(testing::TempDir()), cg::MatrixMarketError);
}

}  // namespace
