#include "bench/verdict.hpp"

#include <fmt/format.h>

#include "bench/sizes.hpp"

namespace tutti::bench {

void Verdict::add(const Row& row) {
  ++rows_;
  const std::string what =
      fmt::format("{} of {}, {}", row.collective, format_size(row.bytes), row.type);
  if (row.error) {
    failures_.push_back(fmt::format("{}: {}", what, *row.error));
    return;
  }
  if (row.wrong > 0) failures_.push_back(fmt::format("{}: {} elements are wrong", what, row.wrong));
  if (!fail_below_) return;
  if (!row.ratio) {
    ++without_ratio_;
  } else if (*row.ratio < *fail_below_) {
    failures_.push_back(
        fmt::format("{}: ratio {:.3f} is below {}", what, *row.ratio, *fail_below_));
  }
}

int Verdict::status() const noexcept {
  if (rows_ == 0) return 2;
  return failures_.empty() ? 0 : 1;
}

std::vector<std::string> Verdict::lines() const {
  std::vector<std::string> lines = failures_;
  if (rows_ == 0) lines.push_back("nothing of what was asked for can be measured");
  if (without_ratio_ > 0)
    lines.push_back(
        fmt::format("--fail-below says nothing of {} rows: the raw library has no such "
                    "call",
                    without_ratio_));
  return lines;
}

}  // namespace tutti::bench
