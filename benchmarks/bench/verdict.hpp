#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/row.hpp"

namespace tutti::bench {

/// Whether the rows are as they should be: no errors, nothing wrong, no ratio below the limit.
class Verdict {
 public:
  explicit Verdict(std::optional<double> fail_below) : fail_below_(fail_below) {}

  void add(const Row& row);
  int status() const noexcept { return failures_.empty() ? 0 : 1; }
  /// What is wrong, and what could not be compared: a line each, for standard error.
  std::vector<std::string> lines() const;

 private:
  std::optional<double> fail_below_;
  std::vector<std::string> failures_;
  std::size_t without_ratio_ = 0;
};

}  // namespace tutti::bench
