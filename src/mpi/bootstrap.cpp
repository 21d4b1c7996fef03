#include "mpi/bootstrap.hpp"

#include <algorithm>

#include "core/backoff.hpp"
#include "core/text.hpp"
#include "mpi/call.hpp"
#include "mpi/lifetime.hpp"
#include "mpi/progress.hpp"

namespace tutti::mpi {

// What is given up stays in MPI's hands, together with the memory that it works on.
void MpiBootstrap::finish(MPI_Request& request, const Memory& memory, Deadline deadline,
                          const char* step) {
  Backoff backoff;
  for (int done = 0;;) {
    TUTTI_MPI(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
    if (done != 0) return;
    const bool aborted = session_->abort_flag()->aborted.load(std::memory_order_relaxed);
    if (aborted || deadline.passed()) {
      session_->leave_under_way({request}, memory);
      session_->throw_if_aborted();
      throw Error(Errc::timeout,
                  text("joining NCCL, ", step, ": not all ranks came before the deadline"));
    }
    progress();
    backoff.pause();
  }
}

void MpiBootstrap::broadcast(void* data, std::size_t bytes, int root, Deadline deadline) {
  auto* const given = static_cast<std::byte*>(data);
  const auto memory = std::make_shared<std::vector<std::byte>>(given, given + bytes);
  MPI_Request request = MPI_REQUEST_NULL;
  TUTTI_MPI(MPI_Ibcast(memory->data(), static_cast<int>(bytes), MPI_BYTE, root, session_->comm(),
                       &request));
  finish(request, memory, deadline, "carrying the unique id");
  std::copy(memory->begin(), memory->end(), given);
}

void MpiBootstrap::all_gather(const void* mine, void* all, std::size_t bytes, Deadline deadline) {
  const int count = static_cast<int>(bytes);
  const auto ranks = static_cast<std::size_t>(size());
  const auto* const given = static_cast<const std::byte*>(mine);
  // The others' parts, then this rank's.
  const auto memory = std::make_shared<std::vector<std::byte>>(bytes * (ranks + 1));
  std::byte* const own = memory->data() + bytes * ranks;
  std::copy(given, given + bytes, own);
  MPI_Request request = MPI_REQUEST_NULL;
  TUTTI_MPI(MPI_Iallgather(own, count, MPI_BYTE, memory->data(), count, MPI_BYTE, session_->comm(),
                           &request));
  finish(request, memory, deadline, "comparing devices");
  std::copy(memory->data(), own, static_cast<std::byte*>(all));
}

void MpiBootstrap::barrier(Deadline deadline) {
  MPI_Request request = MPI_REQUEST_NULL;
  TUTTI_MPI(MPI_Ibarrier(session_->comm(), &request));
  finish(request, nullptr, deadline, "meeting before NCCL is entered");
}

void MpiBootstrap::open_notices() {
  notice_tag_ = session_->next_tag();
  told_ = false;
}

void MpiBootstrap::notify() {
  told_ = true;
  for (int peer = 0; peer < size(); ++peer) {
    if (peer == rank()) continue;
    notices_.push_back(MPI_REQUEST_NULL);
    TUTTI_MPI(
        MPI_Isend(nullptr, 0, MPI_BYTE, peer, notice_tag_, session_->comm(), &notices_.back()));
  }
}

bool MpiBootstrap::noticed() {
  int found = 0;
  TUTTI_MPI(MPI_Iprobe(MPI_ANY_SOURCE, notice_tag_, session_->comm(), &found, MPI_STATUS_IGNORE));
  return found != 0;
}

// Every notice is received, so that none meets a later message that has its tag again.
void MpiBootstrap::agree(const std::optional<Error>& failure) {
  int tellers = told_ ? 1 : 0;
  TUTTI_MPI(MPI_Allreduce(MPI_IN_PLACE, &tellers, 1, MPI_INT, MPI_SUM, session_->comm()));
  for (int i = told_ ? 1 : 0; i < tellers; ++i)
    TUTTI_MPI(MPI_Recv(nullptr, 0, MPI_BYTE, MPI_ANY_SOURCE, notice_tag_, session_->comm(),
                       MPI_STATUS_IGNORE));
  TUTTI_MPI(MPI_Waitall(static_cast<int>(notices_.size()), notices_.data(), MPI_STATUSES_IGNORE));
  notices_.clear();
  told_ = false;
  session_->agree(failure);
}

void MpiBootstrap::progress() noexcept {
  if (finalized()) return;
  progress::advance_all();
  session_->serve();
}

bool MpiBootstrap::over() const noexcept {
  return finalized();
}

}  // namespace tutti::mpi
