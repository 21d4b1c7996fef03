#include "diagnostics/others.hpp"

#include <map>
#include <string_view>
#include <vector>

#include "core/process_state.hpp"
#include "core/text.hpp"

namespace tutti {

namespace {

/// What this rank waits for.
struct Waiting {
  std::uint64_t step;
  Activity activity;
  bool collective() const noexcept { return is_collective(activity.kind); }
  bool concerns(int rank) const noexcept {
    return collective() || activity.group > 1 || rank == activity.peer ||
           (activity.kind == OperationKind::send_recv && rank == activity.source);
  }
};

std::string last_call(const Status& status) {
  if (status.calls.load(std::memory_order_relaxed) == 0) return "it has called nothing yet";
  const bool inside = status.state.load(std::memory_order_relaxed) == Status::State::inside;
  return text(inside ? "it is in " : "its last was ", describe(unpack(status.load())), " (call ",
              status.step.load(std::memory_order_relaxed), ')');
}

std::string words_about(const Status& status, const Waiting& mine) {
  const Status::State state = status.state.load(std::memory_order_acquire);
  if (state == Status::State::left) return "left the communicator; " + last_call(status);
  const std::uint64_t step = status.step.load(std::memory_order_relaxed);
  if (state == Status::State::failed) return text("gave up; ", last_call(status));
  if (!mine.collective()) return last_call(status);
  if (status.reached.load(std::memory_order_relaxed) < mine.step)
    return "not there; " + last_call(status);
  const bool inside = state == Status::State::inside && step == mine.step;
  if (!inside) return "has been through it; " + last_call(status);
  return describe(unpack(status.load())) == describe(mine.activity)
             ? "waits in it too"
             : "is in another one, " + describe(unpack(status.load()));
}

std::string fate_of(const Status& status) {
  if (status.state.load(std::memory_order_relaxed) == Status::State::left) return "";
  return words_about_process(status.process.load(std::memory_order_relaxed));
}

}  // namespace

std::string what_others_do(const mpi::Session& session) {
  const Status& own = session.board().own();
  const Waiting mine{own.step.load(std::memory_order_relaxed), unpack(own.load())};
  std::vector<bool> known(static_cast<std::size_t>(session.size()));
  std::map<std::string, std::vector<int>> doing;
  for (const Status& status : session.board().all()) {
    const int rank = status.rank.load(std::memory_order_relaxed);
    if (status.process.load(std::memory_order_acquire) == 0) continue;
    known[static_cast<std::size_t>(rank)] = true;
    if (&status == &own || !mine.concerns(rank)) continue;
    doing[words_about(status, mine) + fate_of(status)].push_back(rank);
  }
  std::vector<int> unknown;
  for (int rank = 0; rank < session.size(); ++rank)
    if (!known[static_cast<std::size_t>(rank)] && mine.concerns(rank)) unknown.push_back(rank);

  std::string words = text(mine.collective() ? " (call " : " (after call ", mine.step,
                           " of communicator ", session.id_text(), ")");
  for (const auto& [what, ranks] : doing) words += line_about(ranks, what);
  if (!unknown.empty()) words += line_about(unknown, "not known, they are on other nodes");
  return words;
}

}  // namespace tutti
