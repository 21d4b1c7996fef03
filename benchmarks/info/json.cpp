#include <nlohmann/json.hpp>

#include "info/information.hpp"

namespace tutti::bench {
namespace {

using Json = nlohmann::ordered_json;

Json object(const std::vector<std::pair<std::string, std::string>>& entries) {
  Json result = Json::object();
  for (const auto& [key, value] : entries) result[key] = value;
  return result;
}

}  // namespace

Json to_json(const Information& information) {
  Json services = Json::object();
  for (const Service& service : information.services)
    services[service.memory] = {
        {"backend", service.backend.empty() ? Json(nullptr) : Json(service.backend)},
        {"algorithm", service.algorithm},
        {"reason", service.reason}};
  return {{"schema_version", 1},
          {"environment", to_json(information.environment)},
          {"devices", information.devices},
          {"services", services},
          {"options", object(information.options)},
          {"variables", object(information.variables)}};
}

}  // namespace tutti::bench
