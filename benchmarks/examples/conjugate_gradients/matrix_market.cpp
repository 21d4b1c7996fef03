#include "matrix_market.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <fstream>
#include <initializer_list>
#include <string_view>
#include <system_error>
#include <tuple>
#include <vector>

#include "text_fields.hpp"

namespace cg {

namespace {

struct Entry {
  std::size_t row;
  std::size_t column;
  double value;
  std::size_t line;  // where it stands in the file, for messages
};

bool precedes(const Entry& a, const Entry& b) {
  return std::tie(a.row, a.column, a.line) < std::tie(b.row, b.column, b.line);
}

class Reader {
 public:
  Reader(std::istream& in, const std::string& file) : in_(in), file_(file) {}

  CsrMatrix read() {
    read_banner();
    read_sizes();
    read_entries();
    complete_triangles();
    return assemble();
  }

 private:
  [[noreturn]] void fail(const std::string& rule) const { fail_at(line_, rule); }
  [[noreturn]] void fail_at(std::size_t line, const std::string& rule) const {
    throw MatrixMarketError(file_, line, rule);
  }

  bool next_line();
  bool next_content_line();
  void expect_word(std::size_t field, std::initializer_list<std::string_view> known) const;
  std::size_t size_field(std::size_t field, std::string_view what) const;
  std::size_t index_field(std::size_t field, std::string_view what) const;
  double value_field() const;
  Entry entry() const;

  void read_banner();
  void read_sizes();
  void read_entries();
  void complete_triangles();
  void check_symmetry() const;
  CsrMatrix assemble() const;

  std::istream& in_;
  const std::string& file_;
  std::string text_;
  std::vector<std::string_view> fields_;  // of text_
  std::size_t line_ = 0;

  bool integer_ = false;
  bool symmetric_ = false;
  std::size_t rows_ = 0;
  std::size_t promised_ = 0;  // the number of entries in the size line
  std::size_t size_line_ = 0;
  std::vector<Entry> entries_;
};

bool Reader::next_line() {
  if (!std::getline(in_, text_)) {
    if (in_.bad()) fail("cannot be read any further");
    return false;
  }
  ++line_;
  split_fields(text_, fields_);
  return true;
}

bool Reader::next_content_line() {
  while (next_line()) {
    if (!fields_.empty() && fields_[0].front() != '%') return true;
  }
  return false;
}

void Reader::expect_word(std::size_t field, std::initializer_list<std::string_view> known) const {
  const std::string word = lower_case(fields_[field]);
  if (std::find(known.begin(), known.end(), word) != known.end()) return;
  std::string choices;
  for (const std::string_view choice : known) {
    choices += (choices.empty() ? "\"" : " or \"") + std::string(choice) + "\"";
  }
  fail(in_quotes(fields_[field]) + " in the banner is not supported; it must be " + choices);
}

void Reader::read_banner() {
  if (!next_line()) fail_at(1, "is empty; a Matrix Market file begins with %%MatrixMarket");
  if (fields_.empty() || fields_[0] != "%%MatrixMarket" || fields_.size() != 5) {
    fail("the banner must be \"%%MatrixMarket matrix coordinate real symmetric\", not " +
         in_quotes(text_));
  }
  expect_word(1, {"matrix"});
  expect_word(2, {"coordinate"});
  expect_word(3, {"real", "integer"});
  expect_word(4, {"symmetric", "general"});
  integer_ = lower_case(fields_[3]) == "integer";
  symmetric_ = lower_case(fields_[4]) == "symmetric";
}

std::size_t Reader::size_field(std::size_t field, std::string_view what) const {
  const auto number = parse_integer(fields_[field]);
  if (number && *number >= 1) return static_cast<std::size_t>(*number);
  fail(fmt::format("the number of {} must be a positive 64-bit integer, not {}", what,
                   in_quotes(fields_[field])));
}

void Reader::read_sizes() {
  if (!next_content_line()) fail("ends before the size line, which holds rows, columns, entries");
  if (fields_.size() != 3) {
    fail("the size line must hold three numbers, rows, columns and entries, not " +
         in_quotes(text_));
  }
  rows_ = size_field(0, "rows");
  const std::size_t columns = size_field(1, "columns");
  promised_ = size_field(2, "entries");
  size_line_ = line_;
  if (rows_ != columns) {
    fail(fmt::format("the matrix must be square, not {} x {}", rows_, columns));
  }
  // Also keeps a size line that asks for more rows than the file can fill from taking the memory.
  if (promised_ < rows_) {
    fail(
        fmt::format("{} entries cannot fill the diagonal of {} rows, as a positive definite "
                    "matrix does",
                    promised_, rows_));
  }
}

std::size_t Reader::index_field(std::size_t field, std::string_view what) const {
  const auto number = parse_integer(fields_[field]);
  if (!number)
    fail(fmt::format("the {} must be an integer, not {}", what, in_quotes(fields_[field])));
  if (*number < 1 || static_cast<std::size_t>(*number) > rows_) {
    fail(fmt::format("the {} must lie in 1 to {}, and is {}", what, rows_, *number));
  }
  return static_cast<std::size_t>(*number) - 1;
}

double Reader::value_field() const {
  if (integer_) {
    const auto number = parse_integer(fields_[2]);
    if (!number) fail("the value must be a 64-bit integer, not " + in_quotes(fields_[2]));
    return static_cast<double>(*number);
  }
  const auto number = parse_real(fields_[2]);
  if (!number)
    fail("the value must be a number that float64 can hold, not " + in_quotes(fields_[2]));
  if (!std::isfinite(*number)) fail("the value must be finite, not " + in_quotes(fields_[2]));
  return *number;
}

Entry Reader::entry() const {
  if (fields_.size() != 3) {
    fail("an entry must hold a row, a column and a value, not " + in_quotes(text_));
  }
  const Entry result{index_field(0, "row"), index_field(1, "column"), value_field(), line_};
  if (symmetric_ && result.column > result.row) {
    fail(
        fmt::format("entry ({}, {}) lies above the diagonal; a symmetric file holds the lower "
                    "triangle",
                    result.row + 1, result.column + 1));
  }
  return result;
}

void Reader::read_entries() {
  while (next_content_line()) {
    if (entries_.size() == promised_) {
      fail(fmt::format("one entry more than the {} that line {} promises", promised_, size_line_));
    }
    entries_.push_back(entry());
  }
  if (entries_.size() != promised_) {
    fail(fmt::format("ends after {} of the {} entries that line {} promises", entries_.size(),
                     promised_, size_line_));
  }
}

/// Sorts the entries by row and column, and adds the upper triangle that a symmetric file leaves
/// out.
void Reader::complete_triangles() {
  if (symmetric_) {
    for (std::size_t i = 0; i < promised_; ++i) {
      const Entry e = entries_[i];
      if (e.row != e.column) entries_.push_back({e.column, e.row, e.value, e.line});
    }
  }
  std::sort(entries_.begin(), entries_.end(), precedes);
  for (std::size_t i = 1; i < entries_.size(); ++i) {
    const Entry &first = entries_[i - 1], &second = entries_[i];
    if (first.row != second.row || first.column != second.column) continue;
    // The mirror image of an entry comes first in a symmetric file's upper triangle.
    const auto [column, row] = std::minmax(first.row, first.column);
    fail_at(second.line, fmt::format("entry ({}, {}) was given before, in line {}",
                                     (symmetric_ ? row : first.row) + 1,
                                     (symmetric_ ? column : first.column) + 1, first.line));
  }
  if (!symmetric_) check_symmetry();
}

void Reader::check_symmetry() const {
  for (const Entry& e : entries_) {
    const Entry mirrored{e.column, e.row, e.value, 0};
    const auto twin = std::lower_bound(entries_.begin(), entries_.end(), mirrored, precedes);
    const bool there = twin != entries_.end() && twin->row == e.column && twin->column == e.row;
    if (there && twin->value == e.value) continue;
    fail_at(e.line,
            fmt::format("the matrix must be symmetric: entry ({}, {}) is {}, entry ({}, {}) "
                        "is {}",
                        e.row + 1, e.column + 1, e.value, e.column + 1, e.row + 1,
                        there ? fmt::to_string(twin->value) : "missing"));
  }
}

CsrMatrix Reader::assemble() const {
  CsrMatrix matrix;
  matrix.offsets.assign(rows_ + 1, 0);
  matrix.columns.reserve(entries_.size());
  matrix.values.reserve(entries_.size());
  for (const Entry& e : entries_) {
    matrix.columns.push_back(e.column);
    matrix.values.push_back(e.value);
    matrix.offsets[e.row + 1] = matrix.values.size();
  }
  // Rows without an entry end where the row before them does.
  for (std::size_t i = 1; i <= rows_; ++i) {
    matrix.offsets[i] = std::max(matrix.offsets[i], matrix.offsets[i - 1]);
  }
  return matrix;
}

std::string located(const std::string& file, std::size_t line, const std::string& rule) {
  return line == 0 ? file + ": " + rule : fmt::format("{}:{}: {}", file, line, rule);
}

}  // namespace

MatrixMarketError::MatrixMarketError(const std::string& file, std::size_t line,
                                     const std::string& rule)
    : std::runtime_error(located(file, line, rule)), line_(line) {}

CsrMatrix read_matrix_market(std::istream& in, const std::string& file) {
  return Reader(in, file).read();
}

CsrMatrix read_matrix_market(const std::string& file) {
  std::ifstream in(file);
  if (!in) {
    throw MatrixMarketError(file, 0, "cannot be opened: " + std::generic_category().message(errno));
  }
  return read_matrix_market(in, file);
}

}  // namespace cg
