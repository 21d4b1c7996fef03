#include "mpi/status_board.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <new>
#include <numeric>
#include <vector>

#include "core/log.hpp"
#include "core/sight.hpp"
#include "mpi/call.hpp"

namespace tutti::mpi {

namespace {

std::mutex boards_mutex;

// Never destroyed: a static communicator may go after the library's own statics.
std::vector<StatusBoard*>& boards() {
  static auto& list = *new std::vector<StatusBoard*>;
  return list;
}

/// Where `ranks` of `comm` are in MPI_COMM_WORLD.
std::vector<int> world_ranks_of(MPI_Comm comm, const std::vector<int>& ranks) {
  MPI_Group here = MPI_GROUP_NULL, world = MPI_GROUP_NULL;
  TUTTI_MPI(MPI_Comm_group(comm, &here));
  TUTTI_MPI(MPI_Comm_group(MPI_COMM_WORLD, &world));
  std::vector<int> found(ranks.size());
  TUTTI_MPI(MPI_Group_translate_ranks(here, static_cast<int>(ranks.size()), ranks.data(), world,
                                      found.data()));
  TUTTI_MPI(MPI_Group_free(&here));
  TUTTI_MPI(MPI_Group_free(&world));
  return found;
}

}  // namespace

StatusBoard::StatusBoard(MPI_Comm node, int rank) {
  int node_rank = 0, node_size = 1;
  TUTTI_MPI(MPI_Comm_rank(node, &node_rank));
  TUTTI_MPI(MPI_Comm_size(node, &node_size));
  if (node_size > 1) share(node, node_rank, node_size);
  std::vector<int> shown(all_.size());
  std::iota(shown.begin(), shown.end(), all_.size() > 1 ? 0 : node_rank);
  world_ranks_ = world_ranks_of(node, shown);
  own_->rank.store(rank, std::memory_order_relaxed);
  own_->process.store(getpid(), std::memory_order_release);
  const std::lock_guard lock(boards_mutex);
  boards().push_back(this);
}

void StatusBoard::share(MPI_Comm node, int node_rank, int node_size) {
  memory_ = std::make_unique<SharedMemory>(node_rank, node_size, sizeof(Status) + sizeof(Exchange));
  SharedFile file;
  if (node_rank == 0) file = memory_->offer();
  TUTTI_MPI(MPI_Bcast(&file, sizeof file, MPI_BYTE, 0, node));
  int mapped = memory_->map(file) ? 1 : 0;
  TUTTI_MPI(MPI_Allreduce(MPI_IN_PLACE, &mapped, 1, MPI_INT, MPI_MIN, node));
  memory_->close_file();
  if (mapped == 0) {
    log(LogLevel::info,
        "an error will not tell what the other ranks of this node do: " +
            (memory_->why().empty() ? "another rank could not share memory" : memory_->why()));
    memory_.reset();
    return;
  }
  auto* const statuses = reinterpret_cast<Status*>(memory_->data());
  own_ = new (statuses + node_rank) Status;
  all_ = {statuses, static_cast<std::size_t>(node_size)};
  auto* const exchanges = reinterpret_cast<Exchange*>(statuses + node_size);
  own_exchange_ = new (exchanges + node_rank) Exchange;
  exchanges_ = {exchanges, static_cast<std::size_t>(node_size)};
}

StatusBoard::~StatusBoard() {
  leave();
  const std::lock_guard lock(boards_mutex);
  boards().erase(std::remove(boards().begin(), boards().end(), this), boards().end());
}

std::uint64_t StatusBoard::put(const Words& words) noexcept {
  const std::uint64_t turn = own_exchange_->turn.load(std::memory_order_relaxed) + 1;
  own_exchange_->words[turn % 2] = words;
  own_exchange_->turn.store(turn, std::memory_order_release);
  return turn;
}

bool StatusBoard::all_put(std::uint64_t turn) const noexcept {
  return std::all_of(exchanges_.begin(), exchanges_.end(), [&](const Exchange& exchange) {
    return exchange.turn.load(std::memory_order_acquire) >= turn;
  });
}

const Status* StatusBoard::missing_for_good(std::uint64_t turn) const noexcept {
  for (std::size_t r = 0; r < all_.size(); ++r)
    if (all_[r].gave_up.load(std::memory_order_acquire) &&
        exchanges_[r].turn.load(std::memory_order_relaxed) < turn)
      return &all_[r];
  return nullptr;
}

void StatusBoard::leave_all() noexcept {
  const std::lock_guard lock(boards_mutex);
  for (StatusBoard* const board : boards()) board->leave();
}

// The newest one on which it called something tells its last call; any tells its process.
std::string StatusBoard::words_about(MPI_Comm comm, int rank) {
  const int wanted = world_ranks_of(comm, {rank}).front();
  const std::lock_guard lock(boards_mutex);
  std::string of_process;
  for (auto board = boards().rbegin(); board != boards().rend() && wanted >= 0; ++board) {
    const auto& shown = (*board)->world_ranks_;
    const auto found = std::find(shown.begin(), shown.end(), wanted);
    if (found == shown.end()) continue;
    const Sight sight = sight_of((*board)->all_[static_cast<std::size_t>(found - shown.begin())]);
    if (sight.process == 0) continue;
    of_process = words_about_process(sight.process, sight.process_state);
    if (sight.calls > 0) return "; on another communicator " + last_call(sight) + of_process;
  }
  return of_process;
}

}  // namespace tutti::mpi
