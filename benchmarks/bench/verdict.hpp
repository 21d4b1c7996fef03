#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/row.hpp"

namespace tutti::bench {

/// Whether the rows are as they should be: some at all, no errors, nothing wrong, no ratio below
/// the limit.
class Verdict {
 public:
  explicit Verdict(std::optional<double> fail_below) : fail_below_(fail_below) {}

  void add(const Row& row);
  /// 0; 1 for failures; 2, as for a command line that cannot be, if there is no row to judge.
  int status() const noexcept;
  /// What is wrong, and what could not be compared: a line each, for standard error.
  std::vector<std::string> lines() const;

 private:
  std::optional<double> fail_below_;
  std::size_t rows_ = 0;
  std::vector<std::string> failures_;
  std::size_t without_ratio_ = 0;
};

}  // namespace tutti::bench
