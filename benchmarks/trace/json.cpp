#include <fmt/format.h>

#include "trace/output.hpp"

namespace tutti::trace {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const std::vector<Group>& groups) {
  Json list = Json::array();
  for (const Group& group : groups) list.push_back({{"ranks", group.ranks}, {"what", group.words}});
  return list;
}

Json to_json(const Call& call) {
  return {{"communicator",
           fmt::format("{}.{}", call.communicator >> 32U, call.communicator & 0xffffffffU)},
          {"step", call.step},
          {"verb", call.verb},
          {"call", call.words()},
          {"backend", call.backend},
          {"state", call.state},
          {"begin", call.begin},
          {"end", call.end == 0 ? Json(nullptr) : Json(call.end)}};
}

Json to_json(const Record& record) {
  Json json = {{"rank", record.world_rank},   {"host", record.host},
               {"process", record.process},   {"ended", record.ended},
               {"alive_at", record.alive},    {"last_error", record.last_error},
               {"calls", record.calls.size()}};
  json["last_call"] = record.calls.empty() ? Json(nullptr) : to_json(record.calls.back());
  return json;
}

Json to_json(const CommunicatorFindings& communicator) {
  Json waits = Json::array();
  for (const Wait& wait : communicator.waits)
    waits.push_back({{"step", wait.step},
                     {"call", wait.call},
                     {"waiting", wait.waiting},
                     {"failed", wait.gave_up},
                     {"others", to_json(wait.others)}});
  Json divergence = nullptr;
  if (communicator.divergence)
    divergence = {{"step", communicator.divergence->step},
                  {"calls", to_json(communicator.divergence->calls)}};
  return {{"communicator", communicator.name},
          {"size", communicator.size},
          {"without_record", communicator.without_record},
          {"divergence", divergence},
          {"waits", waits}};
}

// Microseconds, as the format wants them; from the job's beginning, so that none is rounded off.
double microseconds(std::int64_t nanoseconds) {
  return static_cast<double>(nanoseconds) / 1000;
}

}  // namespace

Json to_json(const Job& job, const Findings& findings) {
  Json records = Json::array(), communicators = Json::array();
  for (const Record& record : job.records) records.push_back(to_json(record));
  for (const CommunicatorFindings& communicator : findings.communicators)
    communicators.push_back(to_json(communicator));
  return {{"schema_version", 1},
          {"left_out", job.problems},
          {"ranks_without_record", findings.missing},
          {"ranks", records},
          {"communicators", communicators}};
}

Json to_chrome(const Job& job) {
  const std::int64_t last = last_moment(job);
  std::int64_t first = last;
  for (const Record& record : job.records)
    for (const Call& call : record.calls) first = std::min(first, call.begin);
  Json events = Json::array();
  for (const Record& record : job.records) {
    events.push_back(
        {{"name", "process_name"},
         {"ph", "M"},
         {"pid", record.world_rank},
         {"args", {{"name", fmt::format("rank {} on {}", record.world_rank, record.host)}}}});
    for (const Call& call : record.calls)
      events.push_back(
          {{"name", call.words()},
           {"cat", call.verb},
           {"ph", "X"},
           {"pid", record.world_rank},
           {"tid", call.communicator & 0xffffffffU},
           {"ts", microseconds(call.begin - first)},
           {"dur", microseconds((call.end == 0 ? last : call.end) - call.begin)},
           {"args", {{"step", call.step}, {"backend", call.backend}, {"state", call.state}}}});
  }
  return {{"traceEvents", events}, {"displayTimeUnit", "ns"}};
}

}  // namespace tutti::trace
