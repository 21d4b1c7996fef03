#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/report.hpp"
#include "bench/sizes.hpp"

namespace tutti::bench {
namespace {

constexpr const char* line =
    "{:<15} {:<11} {:<14} {:>8} {:>9} {:>6} {:>9} {:>9} {:>9} {:>8} {:>8} "
    "{:>6} {:>9} {:>6}  {}";

/// About four significant digits, never in exponential notation.
std::string number(double value) {
  const double size = value < 0 ? -value : value;
  const int digits = size < 10 ? 3 : size < 100 ? 2 : size < 1000 ? 1 : 0;
  return fmt::format("{:.{}f}", value, digits);
}

std::string number(const std::optional<double>& value) {
  return value ? number(*value) : "n/a";
}

std::string wrong(const Row& row) {
  return row.verified || row.wrong > 0 ? fmt::format("{}", row.wrong) : "n/a";
}

std::string served_by(const Row& row) {
  return row.algorithm.empty() ? row.backend : fmt::format("{}: {}", row.backend, row.algorithm);
}

std::string name(const Row& row) {
  return row.collective + (row.uneven ? " v" : "") + (row.in_place ? " ip" : "");
}

class TableReport final : public Report {
 public:
  explicit TableReport(std::ostream& out) : out_(out) {}

  void begin(const JobEnvironment& e) override {
    out_ << fmt::format("# tutti {}, {}\n", e.tutti_version, e.mpi_library)
         << fmt::format(
                "# {} ranks on {}, {}{}\n", e.ranks, fmt::join(e.hosts, ", "), e.cpu_model,
                e.oversubscribed ? ", more ranks than cores: times are not the machine's" : "")
         << fmt::format("# {}\n", e.command_line);
    out_ << fmt::format(fmt::runtime(line), "# collective", "type", "op", "bytes", "count", "iters",
                        "min us", "median us", "p99 us", "alg GB/s", "bus GB/s", "wrong", "raw us",
                        "ratio", "backend: algorithm")
         << std::endl;
  }

  void add(const Row& row) override {
    const std::string op = row.op ? *row.op : row.root ? fmt::format("root {}", *row.root) : "-";
    if (row.error) {
      out_ << fmt::format("{:<15} {:<11} {:<14} {:>8} {:>9} error: {}", name(row), row.type, op,
                          format_size(row.bytes), row.count, *row.error)
           << std::endl;
      return;
    }
    out_ << fmt::format(fmt::runtime(line), name(row), row.type, op, format_size(row.bytes),
                        row.count, row.iterations, number(row.time_us.min),
                        number(row.time_us.median), number(row.time_us.p99), number(row.algbw_gbps),
                        number(row.busbw_gbps), wrong(row),
                        row.against ? number(row.raw_time_us) : "-",
                        row.against ? number(row.ratio) : "-", served_by(row))
         << std::endl;
  }

  void end() override {}

 private:
  std::ostream& out_;
};

}  // namespace

std::unique_ptr<Report> make_table(std::ostream& out) {
  return std::make_unique<TableReport>(out);
}

}  // namespace tutti::bench
