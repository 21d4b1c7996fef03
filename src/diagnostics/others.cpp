#include "diagnostics/others.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <map>
#include <string_view>
#include <vector>

#include "core/text.hpp"

namespace tutti {

namespace {

enum class Process { running, stopped, gone };

// "PID (NAME) STATE ...", where NAME may hold anything.
Process look_at_process(int id) {
  const std::string path = text("/proc/", id, "/stat");
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return Process::gone;
  char words[512];
  const auto length = read(file, words, sizeof words);
  static_cast<void>(close(file));
  if (length <= 0) return Process::gone;
  const std::string_view all(words, static_cast<std::size_t>(length));
  const std::size_t name_end = all.rfind(')');
  if (name_end == std::string_view::npos || name_end + 2 >= all.size()) return Process::running;
  const char state = all[name_end + 2];
  if (state == 'T' || state == 't') return Process::stopped;
  return state == 'Z' || state == 'X' ? Process::gone : Process::running;
}

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

std::string words_about_process(const Status& status) {
  const int id = status.process.load(std::memory_order_relaxed);
  if (status.state.load(std::memory_order_relaxed) == Status::State::left) return "";
  switch (look_at_process(id)) {
    case Process::running:
      return "";
    case Process::stopped:
      return text("; its process ", id, " is stopped by a signal");
    case Process::gone:
      return text("; its process ", id, " is gone");
  }
  __builtin_unreachable();
}

std::string line_of(const std::vector<int>& ranks, std::string_view words) {
  return text("\n  ", ranks.size() == 1 ? "rank " : "ranks ", ranges_of(ranks), ": ", words);
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
    doing[words_about(status, mine) + words_about_process(status)].push_back(rank);
  }
  std::vector<int> unknown;
  for (int rank = 0; rank < session.size(); ++rank)
    if (!known[static_cast<std::size_t>(rank)] && mine.concerns(rank)) unknown.push_back(rank);

  std::string words = text(mine.collective() ? " (call " : " (after call ", mine.step,
                           " of communicator ", session.id_text(), ")");
  for (const auto& [what, ranks] : doing) words += line_of(ranks, what);
  if (!unknown.empty()) words += line_of(unknown, "not known, they are on other nodes");
  return words;
}

}  // namespace tutti
