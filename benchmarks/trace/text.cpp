#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>

#include "core/text.hpp"
#include "trace/output.hpp"

namespace tutti::trace {
namespace {

std::string ranks_text(const std::vector<int>& ranks) {
  return fmt::format("{} {}", ranks.size() == 1 ? "rank" : "ranks", ranges_of(ranks));
}

std::string time_text(std::int64_t nanoseconds) {
  const auto seconds = static_cast<std::time_t>(nanoseconds / 1000000000);
  return fmt::format("{:%F %T}.{:03}", fmt::localtime(seconds), nanoseconds / 1000000 % 1000);
}

std::string indented(std::string words) {
  for (std::size_t at = 0; (at = words.find('\n', at)) != std::string::npos; at += 5)
    words.replace(at, 1, "\n    ");
  return words;
}

std::string about(const Record& record) {
  std::string words = fmt::format(
      "rank {}: process {} on {}, {}, {} calls kept\n", record.world_rank, record.process,
      printable(record.host),
      record.ended.empty() ? "killed or still running" : "ended by " + printable(record.ended),
      record.calls.size());
  if (!record.calls.empty()) {
    const Call& last = record.calls.back();
    words += fmt::format("  last: {} (call {}), {}, begun {}\n", last.words(), last.step,
                         last.state, time_text(last.begin));
  }
  if (!record.last_error.empty()) words += "  error: " + indented(record.last_error) + '\n';
  return words;
}

std::string about(const Wait& wait) {
  std::string words = fmt::format("  call {}, {}\n", wait.step, wait.call);
  if (!wait.gave_up.empty()) words += fmt::format("    {}: failed\n", ranks_text(wait.gave_up));
  if (!wait.waiting.empty()) words += fmt::format("    {}: in it\n", ranks_text(wait.waiting));
  for (const Group& group : wait.others)
    words += fmt::format("    {}: {}\n", ranks_text(group.ranks), group.words);
  return words;
}

std::string about(const CommunicatorFindings& communicator) {
  std::string words = fmt::format("communicator {} of {}\n", communicator.name, communicator.size);
  if (!communicator.without_record.empty())
    words += fmt::format("  no call recorded: {}\n", ranks_text(communicator.without_record));
  if (communicator.divergence) {
    words += fmt::format("  the ranks diverge at call {}\n", communicator.divergence->step);
    for (const Group& group : communicator.divergence->calls)
      words += fmt::format("    {}: {}\n", ranks_text(group.ranks), group.words);
  } else if (communicator.first_compared <= communicator.last_compared) {
    words += fmt::format("  calls {} to {} are the same on all ranks\n",
                         communicator.first_compared, communicator.last_compared);
  }
  for (const Wait& wait : communicator.waits) words += about(wait);
  return words;
}

}  // namespace

std::string to_text(const Job& job, const Findings& findings) {
  std::string words;
  for (const std::string& problem : job.problems) words += "left out: " + problem + '\n';
  for (const Record& record : job.records) words += about(record);
  if (!findings.missing.empty())
    words += fmt::format("no record: {} of the job\n", ranks_text(findings.missing));
  for (const CommunicatorFindings& communicator : findings.communicators)
    words += about(communicator);
  return words;
}

}  // namespace tutti::trace
