#include "mpi/leftovers.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "core/backoff.hpp"
#include "mpi/call.hpp"
#include "tutti/backend.hpp"

namespace tutti::mpi::leftovers {

namespace {

struct Board {
  std::unique_ptr<StatusBoard> board;
  int size;
};

struct All {
  std::mutex mutex;
  std::vector<MPI_Request> requests;
  std::vector<std::shared_ptr<void>> memory;
  std::vector<Board> boards;
  bool exchange = false;
  std::chrono::milliseconds patience{0};
};

// Never destroyed, and neither is what it holds.
All& all() {
  static auto& everything = *new All;
  return everything;
}

std::atomic<bool> died{false};

bool all_done(std::vector<MPI_Request>& requests) noexcept {
  bool done = true;
  for (MPI_Request& request : requests) {
    int flag = 0;
    if (request == MPI_REQUEST_NULL) continue;
    const int code = MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    if (tells_of_a_death(code)) note_death();
    done = code == MPI_SUCCESS && flag != 0 && done;
  }
  return done;
}

bool all_left(const Board& board) noexcept {
  const auto statuses = board.board->all();
  return statuses.size() == static_cast<std::size_t>(board.size) &&
         std::all_of(statuses.begin(), statuses.end(), [](const Status& status) {
           return status.state.load(std::memory_order_acquire) == Status::State::left;
         });
}

}  // namespace

void keep(std::vector<MPI_Request> requests, std::shared_ptr<void> memory) noexcept {
  const std::lock_guard lock(all().mutex);
  all().requests.insert(all().requests.end(), requests.begin(), requests.end());
  all().memory.push_back(std::move(memory));
}

void keep(std::unique_ptr<StatusBoard> board, int size) noexcept {
  board->leave();
  const std::lock_guard lock(all().mutex);
  all().boards.push_back({std::move(board), size});
}

void keep_exchange() noexcept {
  const std::lock_guard lock(all().mutex);
  all().exchange = true;
}

void wait_at_least(std::chrono::milliseconds patience) noexcept {
  const std::lock_guard lock(all().mutex);
  all().patience = std::max(all().patience, patience);
}

void note_death() noexcept {
  died.store(true, std::memory_order_relaxed);
}

bool someone_died() noexcept {
  return died.load(std::memory_order_relaxed);
}

bool settled() noexcept {
  const std::lock_guard lock(all().mutex);
  const Deadline deadline = Deadline::in(all().patience);
  for (Backoff backoff;; backoff.pause()) {
    const bool done = all_done(all().requests);
    if (someone_died()) return false;
    if (!all().exchange && done) return true;
    if (!all().boards.empty() && std::all_of(all().boards.begin(), all().boards.end(), all_left))
      return true;
    if (deadline.passed()) return false;
  }
}

}  // namespace tutti::mpi::leftovers
