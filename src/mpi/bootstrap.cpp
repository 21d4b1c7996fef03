#include "mpi/bootstrap.hpp"

#include "core/backoff.hpp"
#include "core/text.hpp"
#include "mpi/call.hpp"
#include "mpi/lifetime.hpp"
#include "mpi/progress.hpp"

namespace tutti::mpi {

void MpiBootstrap::finish(MPI_Request& request, Deadline deadline, const char* step) {
  Backoff backoff;
  for (int done = 0;;) {
    TUTTI_MPI(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
    if (done != 0) return;
    session_->throw_if_aborted();
    if (deadline.passed())
      throw Error(Errc::timeout,
                  text("joining NCCL, ", step, ": not all ranks came before the deadline"));
    progress();
    backoff.pause();
  }
}

void MpiBootstrap::broadcast(void* data, std::size_t bytes, int root, Deadline deadline) {
  MPI_Request request = MPI_REQUEST_NULL;
  TUTTI_MPI(MPI_Ibcast(data, static_cast<int>(bytes), MPI_BYTE, root, session_->comm(), &request));
  finish(request, deadline, "carrying the unique id");
}

void MpiBootstrap::all_gather(const void* mine, void* all, std::size_t bytes, Deadline deadline) {
  const int count = static_cast<int>(bytes);
  MPI_Request request = MPI_REQUEST_NULL;
  TUTTI_MPI(
      MPI_Iallgather(mine, count, MPI_BYTE, all, count, MPI_BYTE, session_->comm(), &request));
  finish(request, deadline, "comparing devices");
}

void MpiBootstrap::barrier(Deadline deadline) {
  MPI_Request request = MPI_REQUEST_NULL;
  TUTTI_MPI(MPI_Ibarrier(session_->comm(), &request));
  finish(request, deadline, "meeting before NCCL is entered");
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
  if (!finalized()) progress::advance_all();
}

bool MpiBootstrap::over() const noexcept {
  return finalized();
}

}  // namespace tutti::mpi
