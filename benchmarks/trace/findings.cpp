#include "trace/findings.hpp"

#include <algorithm>
#include <iterator>
#include <set>

#include <fmt/format.h>

namespace tutti::trace {
namespace {

/// What one rank did on one communicator.
struct Member {
  const Record* record = nullptr;
  std::vector<const Call*> calls;
  std::uint64_t reached() const {
    std::uint64_t step = 0;
    for (const Call* call : calls)
      if (call->state != "refused") step = std::max(step, call->step);
    return step;
  }
};

struct Members {
  int size = 0;
  std::map<int, Member> ranks;
};

std::map<std::uint64_t, Members> communicators_of(const Job& job) {
  std::map<std::uint64_t, Members> all;
  for (const Record& record : job.records)
    for (const Call& call : record.calls) {
      Members& members = all[call.communicator];
      members.size = call.size;
      Member& member = members.ranks[call.rank];
      member.record = &record;
      member.calls.push_back(&call);
    }
  return all;
}

const Call* collective_at(const Member& member, std::uint64_t step) {
  for (const Call* call : member.calls)
    if (call->step == step && call->collective() && call->state != "refused") return call;
  return nullptr;
}

// Ranks' blocks may differ in these.
bool shares_count(OperationKind kind) {
  return kind == OperationKind::all_reduce || kind == OperationKind::reduce ||
         kind == OperationKind::broadcast || kind == OperationKind::scan ||
         kind == OperationKind::exclusive_scan;
}

// What must be equal on all ranks.
std::string signature(const Call& call) {
  if (call.without_operation()) return call.words();
  Call shared = call;
  if (!shares_count(call.activity.kind)) {
    shared.activity.has_data = false;
    shared.activity.count = 0;
  }
  return call.verb + " of " + shared.words();
}

std::vector<Group> grouped(const std::map<std::string, std::vector<int>>& groups) {
  std::vector<Group> result;
  for (const auto& [words, ranks] : groups) result.push_back({ranks, words});
  std::sort(result.begin(), result.end(),
            [](const Group& a, const Group& b) { return a.ranks < b.ranks; });
  return result;
}

// The steps that every member's record still holds.
void compare(const Members& members, CommunicatorFindings& findings) {
  std::uint64_t first = 1, last = UINT64_MAX;
  for (const auto& [rank, member] : members.ranks) {
    std::uint64_t oldest = UINT64_MAX;
    for (const Call* call : member.calls)
      if (call->collective()) oldest = std::min(oldest, call->step);
    first = std::max(first, oldest);
    last = std::min(last, member.reached());
  }
  findings.first_compared = first;
  findings.last_compared = std::min(last, UINT64_MAX - 1);
  for (std::uint64_t step = first; step <= findings.last_compared; ++step) {
    std::map<std::string, std::vector<int>> calls;
    for (const auto& [rank, member] : members.ranks)
      if (const Call* const call = collective_at(member, step))
        calls[signature(*call)].push_back(rank);
    if (calls.size() < 2) continue;
    findings.divergence = {step, grouped(calls)};
    return;
  }
}

bool waits_for(const Call& call, int rank) {
  return call.collective() || call.activity.group > 1 || rank == call.activity.peer ||
         (call.activity.kind == OperationKind::send_recv && rank == call.activity.source);
}

std::string fate_of(const Record& record, std::int64_t until) {
  if (record.ended.empty()) {
    const double silent = static_cast<double>(until - record.alive) / 1e9;
    return silent > 2
               ? fmt::format("; its process was last seen running {:.1f} s before the end", silent)
               : "";
  }
  return fmt::format("; its process ended by {}", record.ended);
}

std::string words_about(const Member& member, std::int64_t until) {
  const Call& last = *member.calls.back();
  return fmt::format("{} {} (call {}){}{}", last.pending() ? "is in" : "its last was", last.words(),
                     last.step, last.pending() ? "" : fmt::format(", {}", last.state),
                     fate_of(*member.record, until));
}

// `others`: those of whom something is said already.
void describe_others(const Members& members, const Call& call, std::int64_t until,
                     std::map<std::string, std::vector<int>> others, Wait& wait) {
  std::set<int> told(wait.waiting.begin(), wait.waiting.end());
  told.insert(wait.gave_up.begin(), wait.gave_up.end());
  for (const auto& [what, ranks] : others) told.insert(ranks.begin(), ranks.end());
  for (int rank = 0; rank < members.size; ++rank) {
    if (told.count(rank) > 0 || !waits_for(call, rank)) continue;
    const auto found = members.ranks.find(rank);
    if (found == members.ranks.end()) {
      others["has called nothing on it that is recorded"].push_back(rank);
      continue;
    }
    const bool there = found->second.reached() >= call.step;
    others[(!call.collective() ? ""
            : there            ? "has been through it; "
                               : "not there; ") +
           words_about(found->second, until)]
        .push_back(rank);
  }
  wait.others = grouped(others);
}

/// A call that ranks wait in, or gave up.
struct Pending {
  std::vector<std::pair<int, const Call*>> calls;
  /// When the first of them gave up.
  std::int64_t first_end() const {
    std::int64_t first = INT64_MAX;
    for (const auto& [rank, call] : calls)
      if (!call->pending()) first = std::min(first, call->end);
    return first;
  }
};

/// What the member called that is the same as `example`, if anything.
const Call* latest(const Member& member, const Call& example) {
  const auto found =
      std::find_if(member.calls.rbegin(), member.calls.rend(), [&](const Call* call) {
        return call->step == example.step && call->words() == example.words() &&
               call->state != "refused";
      });
  return found == member.calls.rend() ? nullptr : *found;
}

std::string words_about_late(const Member& member, const Call& call, std::int64_t first_end) {
  const auto here = std::find(member.calls.begin(), member.calls.end(), &call);
  const std::string before =
      here == member.calls.begin()
          ? "it had called nothing before"
          : fmt::format("before, its last was {} (call {})", (*std::prev(here))->words(),
                        (*std::prev(here))->step);
  return fmt::format("came too late, {:.2f} s after the first had given up; {}",
                     static_cast<double>(call.begin - first_end) / 1e9, before);
}

// Who came when others had given up is not one of those who waited, even if it then found all it
// needed.
Wait wait_of(const Members& members, const Pending& pending, std::int64_t until) {
  Wait wait;
  const Call& example = *pending.calls.front().second;
  wait.step = example.step;
  wait.call = example.words();
  const std::int64_t first_end = pending.first_end();
  std::map<std::string, std::vector<int>> late;
  for (const auto& [rank, member] : members.ranks)
    if (const Call* const call = latest(member, example);
        call != nullptr && call->begin > first_end)
      late[words_about_late(member, *call, first_end)].push_back(rank);
  for (const auto& [rank, call] : pending.calls)
    if (call->begin <= first_end) (call->pending() ? wait.waiting : wait.gave_up).push_back(rank);
  describe_others(members, example, until, late, wait);
  return wait;
}

// A call of its own for each of what ranks wait in: the same step may be different calls.
void find_waits(const Members& members, std::int64_t until, CommunicatorFindings& findings) {
  std::map<std::pair<std::uint64_t, std::string>, Pending> pending;
  for (const auto& [rank, member] : members.ranks)
    for (const Call* call : member.calls)
      if (call->pending() || call->state == "failed")
        pending[{call->step, call->words()}].calls.emplace_back(rank, call);
  for (const auto& [key, found] : pending) findings.waits.push_back(wait_of(members, found, until));
}

}  // namespace

std::int64_t last_moment(const Job& job) {
  std::int64_t last = 0;
  for (const Record& record : job.records) {
    last = std::max(last, record.alive);
    for (const Call& call : record.calls) last = std::max({last, call.begin, call.end});
  }
  return last;
}

Findings find(const Job& job) {
  Findings findings;
  std::set<int> present;
  for (const Record& record : job.records) present.insert(record.world_rank);
  for (int rank = 0; rank < job.records.front().world_size; ++rank)
    if (present.count(rank) == 0) findings.missing.push_back(rank);
  const std::int64_t until = last_moment(job);
  for (const auto& [id, members] : communicators_of(job)) {
    CommunicatorFindings communicator;
    communicator.name = fmt::format("{}.{}", id >> 32U, id & 0xffffffffU);
    communicator.size = members.size;
    for (int rank = 0; rank < members.size; ++rank)
      if (members.ranks.count(rank) == 0) communicator.without_record.push_back(rank);
    compare(members, communicator);
    find_waits(members, until, communicator);
    findings.communicators.push_back(std::move(communicator));
  }
  return findings;
}

}  // namespace tutti::trace
