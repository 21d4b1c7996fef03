#pragma once

#include <mpi.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "core/sight.hpp"
#include "mpi/status_board.hpp"
#include "tutti/backend.hpp"

namespace tutti::mpi {

/// How a rank that gives up learns what those do that its board does not show, because they are on
/// other nodes: it asks all of them, and whoever waits in a call with a deadline answers for itself
/// and for its node. Who is missing cannot answer, but its neighbours can.
///
/// All messages are small enough to be sent without the receiver's help. Not thread-safe.
class Inquiry {
 public:
  /// `tag`: of nothing else on `comm`. `board` outlives it; `beside` says which of the ranks that
  /// it shows count.
  Inquiry(MPI_Comm comm, int tag, const StatusBoard& board, std::function<bool(int)> beside);

  /// Takes what others have said and answers those who ask. To be called by a rank that waits.
  void serve();
  /// Asks, because this rank gives up, and waits so long at most for answers.
  void ask(std::chrono::milliseconds patience);
  /// What was heard, by rank.
  const std::map<int, Sight>& heard() const noexcept { return heard_; }

 private:
  using Message = std::vector<SightWords>;
  static constexpr std::size_t most_sights = 15;

  std::vector<int> ranks_elsewhere() const;
  const Message& report();
  Message look_around() const;
  void tell(int rank, Message message) const;
  void try_to_tell(int rank, const Message& message) const;
  void take(const Message& message);

  MPI_Comm comm_;
  int tag_;
  const StatusBoard& board_;
  std::function<bool(int)> beside_;
  std::map<int, Sight> heard_;
  std::set<int> certain_;  ///< of those, who gave up, or was seen since this rank asked
  Message report_;
  Deadline report_is_old_;
};

}  // namespace tutti::mpi
