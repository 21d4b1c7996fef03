#include "diagnostics/others.hpp"

#include <map>
#include <string_view>
#include <vector>

#include "core/sight.hpp"
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

std::string words_about(const Sight& sight, const Waiting& mine) {
  if (sight.state == Status::State::left) return "left the communicator; " + last_call(sight);
  if (sight.state == Status::State::failed) return "gave up; " + last_call(sight);
  if (!mine.collective()) return last_call(sight);
  if (sight.reached < mine.step) return "not there; " + last_call(sight);
  const bool inside = sight.state == Status::State::inside && sight.step == mine.step;
  if (!inside) return "has been through it; " + last_call(sight);
  return describe(unpack(sight.activity)) == describe(mine.activity)
             ? "waits in it too"
             : "is in another one, " + describe(unpack(sight.activity));
}

std::string all_words_about(const Sight& sight, const Waiting& mine) {
  return words_about(sight, mine) + words_about_process(sight.process, sight.process_state);
}

bool came_too(const Sight& sight, const Waiting& mine) {
  const bool elsewhere = sight.state == Status::State::inside &&
                         describe(unpack(sight.activity)) != describe(mine.activity);
  return mine.collective() && sight.reached >= mine.step && !elsewhere;
}

/// What is known of each rank, by its number.
std::map<int, Sight> sights_of(const mpi::Session& session, bool with_heard) {
  std::map<int, Sight> sights;
  if (with_heard && session.inquiry() != nullptr) sights = session.inquiry()->heard();
  for (const Status& status : session.board().all()) {
    if (status.process.load(std::memory_order_acquire) == 0) continue;
    const int rank = status.rank.load(std::memory_order_relaxed);
    if (session.beside(rank)) sights[rank] = sight_of(status);
  }
  return sights;
}

}  // namespace

std::string what_others_do(const mpi::Session& session, Sources sources) {
  const Status& own = session.board().own();
  const Waiting mine{own.step.load(std::memory_order_relaxed), unpack(own.load())};
  const bool asked = sources == Sources::all && session.inquiry() != nullptr;
  // Whoever is to blame comes first.
  std::map<std::pair<bool, std::string>, std::vector<int>> doing;
  const std::map<int, Sight> sights = sights_of(session, asked);
  for (int rank = 0; rank < session.size(); ++rank) {
    if (rank == session.rank() || !mine.concerns(rank)) continue;
    const auto seen = sights.find(rank);
    if (seen == sights.end())
      doing[{false, asked ? "no answer from there: stopped, gone, or outside of any call"
                          : "not known, on another node"}]
          .push_back(rank);
    else
      doing[{came_too(seen->second, mine), all_words_about(seen->second, mine)}].push_back(rank);
  }
  std::string words = text(mine.collective() ? " (call " : " (after call ", mine.step,
                           " of communicator ", session.id_text(), ")");
  for (const auto& [what, ranks] : doing) words += line_about(ranks, what.second);
  return words;
}

}  // namespace tutti
