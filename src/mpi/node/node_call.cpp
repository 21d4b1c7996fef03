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

ByteBlocks NodeCall::blocks_of_root() const noexcept {
  if (team_.rank() != op_.root) return {BlockLayout(0), element_};
  return op_.kind == OperationKind::gather ? received() : sent();
}

BlockSizes NodeCall::ask_sizes() {
  if (!asked_)
    sizes_ = op_.kind == OperationKind::all_to_all
                 ? agree_sizes(team_, sent().sizes(team_.size()))
                 : tell_sizes(team_, blocks_of_root().sizes(team_.size()), op_.root);
  asked_ = true;
  return sizes_;
}

std::size_t NodeCall::longest(std::size_t own) {
  return op_.uneven ? ask_sizes().longest : own;
}

void NodeCall::gather_blocks() {
  const std::size_t own = op_.send.count * element_;
  gather(team_, in(), own, out(), blocks_of_root(), longest(own), op_.root);
}

void NodeCall::scatter_blocks() {
  const std::size_t own = op_.receive.count * element_;
  scatter(team_, in(), blocks_of_root(), out(), own, longest(own), op_.root);
}

void NodeCall::exchange_blocks() {
  all_to_all(team_, in(), sent(), out(), received(), longest(sent().bytes(0)));
}

}  // namespace tutti::mpi::node
