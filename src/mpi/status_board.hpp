#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/status.hpp"
#include "mpi/shared_memory.hpp"

namespace tutti::mpi {

/// The statuses of a communicator's ranks on this node, in memory that their processes share: how a
/// rank that waits sees, without MPI, what the others do. Where memory cannot be shared, there is
/// this rank's own status alone.
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

  /// Whether it shows all `size` ranks of the communicator, which lie on it in their order then.
  bool shows(int size) const noexcept { return all_.size() == static_cast<std::size_t>(size); }

  /// A few words of each rank, exchanged without MPI: a rank puts its own, which makes a turn,
  /// waits until all have put theirs, and reads. Collective like an operation where the board shows
  /// all.
  using Words = std::array<std::int64_t, 15>;
  std::uint64_t put(const Words& words) noexcept;
  bool all_put(std::uint64_t turn) const noexcept;
  /// A rank that gave up the communicator and has not put its words of `turn`: it never will. Null
  /// if there is none.
  const Status* missing_for_good(std::uint64_t turn) const noexcept;
  const Words& words_of(std::size_t rank, std::uint64_t turn) const noexcept {
    return exchanges_[rank].words[turn % 2];
  }

  /// This rank will not come to any further operation.
  void leave() noexcept { own_->state.store(Status::State::left, std::memory_order_release); }
  /// The communicator is broken here.
  void give_up() noexcept { own_->gave_up.store(true, std::memory_order_release); }
  /// Tells on every board of this process that MPI is about to be finalised.
  static void leave_all() noexcept;

  /// What the boards of this process know of a rank of `comm`: "; on another communicator its
  /// last was ...". Empty where they do not show it.
  static std::string words_about(MPI_Comm comm, int rank);

 private:
  // Two turns, because a rank may be one ahead of another that still reads.
  struct alignas(128) Exchange {
    std::atomic<std::uint64_t> turn{0};
    Words words[2]{};
  };

  void share(MPI_Comm node, int node_rank, int node_size);

  std::vector<int> world_ranks_;  ///< of those that it shows
  std::unique_ptr<SharedMemory> memory_;
  Status alone_;
  Status* own_ = &alone_;
  std::span<Status> all_{&alone_, 1};
  Exchange exchange_alone_;
  Exchange* own_exchange_ = &exchange_alone_;
  std::span<Exchange> exchanges_{&exchange_alone_, 1};
};

}  // namespace tutti::mpi
