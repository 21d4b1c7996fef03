#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include <fmt/format.h>

#include "trace/record.hpp"

namespace tutti::trace {
namespace {

template <class Enumerators>
auto named(const std::string& name, const Enumerators& all) {
  for (const auto value : all)
    if (to_string(value) == name) return value;
  throw std::runtime_error(fmt::format("'{}' is nothing that there is", name));
}

Call call_of(const nlohmann::json& json) {
  Call call;
  call.number = json.at("number");
  call.communicator = json.at("communicator");
  call.step = json.at("step");
  call.begin = json.at("begin");
  call.end = json.at("end").is_null() ? 0 : json.at("end").get<std::int64_t>();
  call.rank = json.at("rank");
  call.size = json.at("size");
  call.verb = json.at("verb");
  call.backend = json.at("backend");
  call.state = json.at("state");
  const std::string type = json.at("type");
  call.activity.kind = named(json.at("operation"), all_operation_kinds);
  call.activity.has_data = !type.empty();
  if (!type.empty()) call.activity.type = named(type, all_data_types);
  call.activity.reduction = named(json.at("reduction"), all_reduce_kinds);
  call.activity.peer = json.at("peer");
  call.activity.source = json.at("source");
  call.activity.group = json.at("group");
  call.activity.count = json.at("count");
  return call;
}

}  // namespace

Record read_json(const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (!stream) throw std::runtime_error("it cannot be opened");
  const nlohmann::json json = nlohmann::json::parse(stream);
  Record record;
  record.file = file.filename().string();
  record.host = json.at("host");
  record.process = json.at("process");
  record.world_rank = json.at("world_rank");
  record.world_size = json.at("world_size");
  record.opened = json.at("opened_at");
  record.alive = json.at("alive_at");
  record.ended = json.at("ended");
  record.last_error = json.at("last_error");
  for (const nlohmann::json& call : json.at("records")) record.calls.push_back(call_of(call));
  return record;
}

}  // namespace tutti::trace
