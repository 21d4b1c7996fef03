#pragma once

#include <memory>
#include <ostream>

#include "bench/row.hpp"
#include "bench/settings.hpp"
#include "common/job_environment.hpp"

namespace tutti::bench {

/// Of the JSON object; raised when a field changes its meaning or goes.
inline constexpr int schema_version = 1;

/// Writes rows in one format; used on rank 0 alone. Numbers do not depend on the locale.
class Report {
 public:
  virtual ~Report() = default;
  virtual void begin(const JobEnvironment& environment) = 0;
  virtual void add(const Row& row) = 0;
  virtual void end() = 0;
};

/// For people: rows as they come.
std::unique_ptr<Report> make_table(std::ostream& out);
/// One header line, then one line a row with as many fields.
std::unique_ptr<Report> make_csv(std::ostream& out);
/// One object, written at the end.
std::unique_ptr<Report> make_json(std::ostream& out);

std::unique_ptr<Report> make_report(Format format, std::ostream& out);

}  // namespace tutti::bench
