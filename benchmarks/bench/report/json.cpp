#include <nlohmann/json.hpp>

#include "bench/report.hpp"

namespace tutti::bench {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json to_json(const Summary& summary) {
  return {{"min", summary.min},
          {"median", summary.median},
          {"mean", summary.mean},
          {"p99", summary.p99},
          {"max", summary.max}};
}

Json to_json(const Row& row) {
  return {{"collective", row.collective},
          {"backend", row.backend},
          {"algorithm", row.algorithm},
          {"memory", row.memory},
          {"verb", row.verb},
          {"type", row.type},
          {"op", or_null(row.op)},
          {"root", or_null(row.root)},
          {"in_place", row.in_place},
          {"uneven", row.uneven},
          {"bytes", row.bytes},
          {"count", row.count},
          {"warmup", row.warmup},
          {"iterations", row.iterations},
          {"batch", row.batch},
          {"time_us", to_json(row.time_us)},
          {"skew_us", row.skew_us},
          {"algbw_gbps", row.algbw_gbps},
          {"busbw_gbps", row.busbw_gbps},
          {"verified", row.verified},
          {"wrong", row.wrong},
          {"against", or_null(row.against)},
          {"raw_time_us", or_null(row.raw_time_us)},
          {"ratio", or_null(row.ratio)},
          {"error", or_null(row.error)}};
}

class JsonReport final : public Report {
 public:
  explicit JsonReport(std::ostream& out) : out_(out) {}
  void begin(const JobEnvironment& environment) override {
    object_["schema_version"] = schema_version;
    object_["environment"] = bench::to_json(environment);
    object_["rows"] = Json::array();
  }
  void add(const Row& row) override { object_["rows"].push_back(to_json(row)); }
  // Texts of other libraries need not be UTF-8; what is not is replaced rather than refused.
  void end() override {
    out_ << object_.dump(2, ' ', false, Json::error_handler_t::replace) << std::endl;
  }

 private:
  std::ostream& out_;
  Json object_;
};

}  // namespace

std::unique_ptr<Report> make_json(std::ostream& out) {
  return std::make_unique<JsonReport>(out);
}

}  // namespace tutti::bench
