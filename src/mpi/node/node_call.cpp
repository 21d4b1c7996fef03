#include "mpi/node/node_call.hpp"

namespace tutti::mpi::node {

namespace {

/// From so many bytes on, asking whether all ranks' memory is in Buffers costs nothing that
/// matters.
constexpr std::size_t direct_bytes = 1024 * 1024;

}  // namespace

void NodeCall::run(Way way) {
  switch (op_.kind) {
    case OperationKind::barrier:
      return barrier(team_);
    case OperationKind::broadcast:
      return broadcast(team_, out(), op_.receive.count * element_, op_.root);
    case OperationKind::all_gather:
      return all_gather(team_, in(), out(), received());
    case OperationKind::gather:
      return gather_blocks();
    case OperationKind::scatter:
      return scatter_blocks();
    case OperationKind::all_to_all:
      return exchange_blocks();
    case OperationKind::reduce_scatter:
      return reduce_scatter(team_, arithmetic(), in(), out(), sent());
    case OperationKind::all_reduce:
      if (op_.send.bytes() >= direct_bytes &&
          buffers_.all_reduce(team_, arithmetic(), in(), out(), op_.send.count))
        return;
      [[fallthrough]];
    case OperationKind::reduce:
    case OperationKind::scan:
    case OperationKind::exclusive_scan:
      return reduce(team_, way, op_.kind, arithmetic(), in(), out(), op_.send.count, op_.root);
    case OperationKind::send:
    case OperationKind::recv:
    case OperationKind::send_recv:
      break;  // never served here
  }
  __builtin_unreachable();
}

void NodeCall::gather_blocks() {
  const ByteBlocks blocks = team_.rank() == op_.root ? received() : no_blocks();
  const std::size_t own = op_.send.count * element_;
  gather(team_, in(), own, out(), blocks, longest_by_root(blocks, own), op_.root);
}

void NodeCall::scatter_blocks() {
  const ByteBlocks blocks = team_.rank() == op_.root ? sent() : no_blocks();
  const std::size_t own = op_.receive.count * element_;
  scatter(team_, in(), blocks, out(), own, longest_by_root(blocks, own), op_.root);
}

// Of uneven blocks the root alone knows the longest, and tells.
std::size_t NodeCall::longest_by_root(const ByteBlocks& blocks, std::size_t own) {
  return op_.uneven ? tell_longest(team_, blocks.longest(team_.size()), op_.root) : own;
}

void NodeCall::exchange_blocks() {
  const std::size_t own = sent().longest(team_.size());
  const std::size_t longest = op_.uneven ? agree_longest(team_, own) : own;
  all_to_all(team_, in(), sent(), out(), received(), longest);
}

}  // namespace tutti::mpi::node
