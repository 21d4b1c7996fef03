#include <algorithm>

#include "mpi/call.hpp"
#include "mpi/session.hpp"

namespace tutti::mpi {

namespace {

// Each rank asks each one of other nodes: beyond that there are too many.
constexpr int most_asked = 256;

}  // namespace

// Only what a status tells of others minds pretended nodes: when MPI can be finalised does not.
void Session::share_board(MPI_Comm machine) {
  board_ = std::make_unique<StatusBoard>(machine, rank_);
  TUTTI_MPI(MPI_Comm_free(&machine));
  const bool several = !board_->shows(size_) || !beside(0) || !beside(size_ - 1);
  if (several && size_ <= most_asked)
    inquiry_ = std::make_unique<Inquiry>(comm_, largest_user_tag_ + 1, *board_,
                                         [this](int rank) { return beside(rank); });
}

bool Session::beside(int rank) const noexcept {
  const std::size_t node = options_.node_size;
  return node == 0 ||
         static_cast<std::size_t>(rank) / node == static_cast<std::size_t>(rank_) / node;
}

// What is wrong with the network is the operation's to find: its own error says more.
void Session::serve() noexcept try {
  if (inquiry_ == nullptr) return;
  constexpr unsigned looks_between = 16;
  if (++looks_ % looks_between == 0) inquiry_->serve();
} catch (const Error&) {
}

void Session::ask_others() noexcept try {
  using std::chrono::milliseconds;
  if (inquiry_ != nullptr)
    inquiry_->ask(std::clamp(patience() / 10, milliseconds(100), milliseconds(500)));
} catch (const Error&) {
}

}  // namespace tutti::mpi
