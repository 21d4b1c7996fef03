#pragma once

#include <mpi.h>

#include <span>

#include "core/status.hpp"

namespace tutti::mpi {

/// The statuses of a communicator's ranks on this node, in memory that their processes share: how a
/// rank that waits sees, without MPI, what the others do. Where memory cannot be shared, there is
/// this rank's own status alone. Nothing of it has a name, so that nothing is left of killed
/// processes, and nobody else can open it.
class StatusBoard {
 public:
  /// Collective over `node`, the communicator's ranks of this node.
  StatusBoard(MPI_Comm node, int rank);
  StatusBoard(const StatusBoard&) = delete;
  StatusBoard& operator=(const StatusBoard&) = delete;
  /// The others see that this rank has left.
  ~StatusBoard();

  Status& own() noexcept { return *own_; }
  const Status& own() const noexcept { return *own_; }
  std::span<const Status> all() const noexcept { return all_; }

  /// This rank will not come to any further operation.
  void leave() noexcept { own_->state.store(Status::State::left, std::memory_order_release); }
  /// Tells on every board of this process that MPI is about to be finalised.
  static void leave_all() noexcept;

 private:
  void share(MPI_Comm node, int node_rank, int node_size);

  Status alone_;
  Status* own_ = &alone_;
  std::span<Status> all_{&alone_, 1};
};

}  // namespace tutti::mpi
