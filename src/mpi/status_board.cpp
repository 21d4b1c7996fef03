#include "mpi/status_board.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <new>
#include <string>
#include <vector>

#include "core/log.hpp"
#include "core/text.hpp"
#include "mpi/call.hpp"
#include "mpi/shared_file.hpp"

namespace tutti::mpi {

namespace {

std::mutex mutex;

// Never destroyed: a static communicator may go after the library's own statics.
std::vector<StatusBoard*>& boards() {
  static auto& list = *new std::vector<StatusBoard*>;
  return list;
}

class File {
 public:
  explicit File(int descriptor) noexcept : descriptor_(descriptor) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (descriptor_ >= 0) static_cast<void>(close(descriptor_));
  }
  int descriptor() const noexcept { return descriptor_; }
  void* map(std::size_t bytes) const noexcept {
    if (descriptor_ < 0) return nullptr;
    void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
    return memory == MAP_FAILED ? nullptr : memory;
  }

 private:
  int descriptor_;
};

// Reserved at once: a machine that is out of memory says so here, not with SIGBUS later.
int make_file(std::size_t bytes) noexcept {
  const int descriptor = memfd_create("tutti", MFD_CLOEXEC);
  if (descriptor >= 0 && posix_fallocate(descriptor, 0, static_cast<off_t>(bytes)) != 0) {
    static_cast<void>(close(descriptor));
    return -1;
  }
  return descriptor;
}

}  // namespace

StatusBoard::StatusBoard(MPI_Comm node, int rank) {
  int node_rank = 0, node_size = 1;
  TUTTI_MPI(MPI_Comm_rank(node, &node_rank));
  TUTTI_MPI(MPI_Comm_size(node, &node_size));
  if (node_size > 1) share(node, node_rank, node_size);
  own_->rank.store(rank, std::memory_order_relaxed);
  own_->process.store(getpid(), std::memory_order_release);
  const std::lock_guard lock(mutex);
  boards().push_back(this);
}

void StatusBoard::share(MPI_Comm node, int node_rank, int node_size) {
  const auto ranks = static_cast<std::size_t>(node_size);
  const std::size_t bytes = ranks * (sizeof(Status) + sizeof(Exchange));
  const File made(node_rank == 0 ? make_file(bytes) : -1);
  SharedFile shared = SharedFile::of(made.descriptor());
  TUTTI_MPI(MPI_Bcast(&shared, sizeof shared, MPI_BYTE, 0, node));
  const File opened(node_rank == 0 || shared.descriptor < 0 ? -1 : shared.open());
  void* const memory = (node_rank == 0 ? made : opened).map(bytes);
  // The other ranks have opened it when this returns: the file's descriptor may be closed.
  int mapped = memory != nullptr ? 1 : 0;
  TUTTI_MPI(MPI_Allreduce(MPI_IN_PLACE, &mapped, 1, MPI_INT, MPI_MIN, node));
  if (mapped == 0) {
    if (memory != nullptr) static_cast<void>(munmap(memory, bytes));
    log(LogLevel::info,
        "no memory is shared with the other ranks of this node: an error will not "
        "tell what they do");
    return;
  }
  auto* const statuses = static_cast<Status*>(memory);
  own_ = new (statuses + node_rank) Status;
  all_ = {statuses, ranks};
  auto* const exchanges = reinterpret_cast<Exchange*>(statuses + node_size);
  own_exchange_ = new (exchanges + node_rank) Exchange;
  exchanges_ = {exchanges, ranks};
}

StatusBoard::~StatusBoard() {
  leave();
  {
    const std::lock_guard lock(mutex);
    boards().erase(std::remove(boards().begin(), boards().end(), this), boards().end());
  }
  if (own_ != &alone_)
    static_cast<void>(munmap(all_.data(), all_.size_bytes() + exchanges_.size_bytes()));
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

void StatusBoard::leave_all() noexcept {
  const std::lock_guard lock(mutex);
  for (StatusBoard* const board : boards()) board->leave();
}

}  // namespace tutti::mpi
