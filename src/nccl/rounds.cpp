#include "nccl/rounds.hpp"

#include <algorithm>

namespace tutti::nccl {

namespace {

// Half of a group is for messages, half for collectives, of which some are two messages a rank.
constexpr std::size_t calls_of_a_kind = 1024;

/// A message's place is its number among those of its two ranks and direction; a collective's is
/// its number among all: what both ends, or all ranks, have in common.
class Places {
 public:
  explicit Places(int ranks)
      : ranks_(static_cast<std::size_t>(ranks)),
        messages_(std::max<std::size_t>(1, calls_of_a_kind / 2 / ranks_)),
        sent_(ranks_),
        received_(ranks_) {}

  std::size_t of(const Operation& op) {
    if (op.kind == OperationKind::send) return sent_[static_cast<std::size_t>(op.to)]++ / messages_;
    if (op.kind == OperationKind::recv)
      return received_[static_cast<std::size_t>(op.from)]++ / messages_;
    return collectives_++ / messages_;
  }

 private:
  std::size_t ranks_;
  std::size_t messages_;
  std::vector<std::size_t> sent_;
  std::vector<std::size_t> received_;
  std::size_t collectives_ = 0;
};

}  // namespace

bool fit_one_round(std::size_t operations, int ranks) noexcept {
  return operations <= calls_of_a_kind / 2 / static_cast<std::size_t>(ranks);
}

std::vector<std::vector<Operation>> rounds_of(OperationList operations, int ranks) {
  Places places(ranks);
  std::vector<std::vector<Operation>> rounds;
  const auto put = [&](const Operation& op) {
    const std::size_t round = places.of(op);
    if (rounds.size() <= round) rounds.resize(round + 1);
    rounds[round].push_back(op);
  };
  for (Operation op : operations) {
    if (op.kind == OperationKind::send_recv) {
      op.kind = OperationKind::send;
      put(op);
      op.kind = OperationKind::recv;
    }
    put(op);
  }
  return rounds;
}

}  // namespace tutti::nccl
