#include "bench/report.hpp"

namespace tutti::bench {

std::unique_ptr<Report> make_report(Format format, std::ostream& out) {
  switch (format) {
    case Format::csv:
      return make_csv(out);
    case Format::json:
      return make_json(out);
    case Format::table:
      break;
  }
  return make_table(out);
}

}  // namespace tutti::bench
