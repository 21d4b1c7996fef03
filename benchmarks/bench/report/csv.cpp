#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/report.hpp"

namespace tutti::bench {
namespace {

/// A field with its quotes, where it needs them.
std::string field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"') quoted += '"';
    quoted += c == '\n' || c == '\r' ? ' ' : c;  // one row, one line
  }
  return quoted + '"';
}

template <class T>
std::string field(const T& value) {
  return fmt::format("{}", value);
}

template <class T>
std::string field(const std::optional<T>& value) {
  return value ? field(*value) : std::string();
}

/// The columns' names and, side by side, their values.
std::vector<std::pair<const char*, std::string>> columns(const Row& row) {
  return {{"collective", field(row.collective)},
          {"backend", field(row.backend)},
          {"algorithm", field(row.algorithm)},
          {"memory", field(row.memory)},
          {"verb", field(row.verb)},
          {"type", field(row.type)},
          {"op", field(row.op)},
          {"root", field(row.root)},
          {"in_place", field(row.in_place)},
          {"uneven", field(row.uneven)},
          {"bytes", field(row.bytes)},
          {"count", field(row.count)},
          {"warmup", field(row.warmup)},
          {"iterations", field(row.iterations)},
          {"batch", field(row.batch)},
          {"time_min_us", field(row.time_us.min)},
          {"time_median_us", field(row.time_us.median)},
          {"time_mean_us", field(row.time_us.mean)},
          {"time_p99_us", field(row.time_us.p99)},
          {"time_max_us", field(row.time_us.max)},
          {"skew_us", field(row.skew_us)},
          {"algbw_gbps", field(row.algbw_gbps)},
          {"busbw_gbps", field(row.busbw_gbps)},
          {"verified", field(row.verified)},
          {"wrong", field(row.wrong)},
          {"against", field(row.against)},
          {"raw_time_us", field(row.raw_time_us)},
          {"ratio", field(row.ratio)},
          {"error", field(row.error)}};
}

class CsvReport final : public Report {
 public:
  explicit CsvReport(std::ostream& out) : out_(out) {}
  void begin(const JobEnvironment& /*environment*/) override {
    std::vector<std::string> names;
    for (const auto& column : columns(Row())) names.emplace_back(column.first);
    write(names);
  }
  void add(const Row& row) override {
    std::vector<std::string> values;
    for (auto& column : columns(row)) values.push_back(std::move(column.second));
    write(values);
  }
  void end() override {}

 private:
  void write(const std::vector<std::string>& fields) {
    out_ << fmt::format("{}", fmt::join(fields, ",")) << std::endl;
  }
  std::ostream& out_;
};

}  // namespace

std::unique_ptr<Report> make_csv(std::ostream& out) {
  return std::make_unique<CsvReport>(out);
}

}  // namespace tutti::bench
