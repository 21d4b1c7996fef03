#include "mpi/node/node_call.hpp"

namespace tutti::mpi::node {

namespace {

/// From so many bytes on, asking whether all ranks' memory is in Buffers costs nothing that
/// matters.
constexpr std::size_t buffer_bytes = 1024 * 1024;

// What is shorter has gone through a slot before the kernel has begun, and a longer broadcast is
// faster through slots again, where both ranks are at work; so is a reduce of any length. Up to 4
// ranks: 2 cores of a virtual machine (Intel Xeon, Open MPI 4.1.4). More, whose readers get into
// each other's way in the kernel: 6 to 32 ranks on 32 cores (Intel Xeon, Open MPI 4.1.6).
constexpr std::size_t least_of_few = 64 * 1024;
constexpr std::size_t least_scattered_of_few = 128 * 1024;
constexpr std::size_t most_handed = 1024 * 1024;
constexpr std::size_t least_exchanged_in_all = 512 * 1024 + 1;

/// Through slots, where that is left open.
Way way_of_fold(OperationKind kind, Way way, int ranks) noexcept {
  if (way != Way::shared && way != Way::direct) return way;
  return kind == OperationKind::all_reduce && ranks > 2 ? Way::sliced : Way::whole;
}

}  // namespace

bool NodeCall::run(Way way) {
  if (run_directly(way)) return true;
  if (way == Way::direct_or_mpi) return false;
  run_through_slots(way);
  return true;
}

void NodeCall::run_through_slots(Way way) {
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
      if (op_.send.bytes() >= buffer_bytes &&
          buffers_.all_reduce(team_, arithmetic(), in(), out(), op_.send.count))
        return;
      [[fallthrough]];
    case OperationKind::reduce:
    case OperationKind::scan:
    case OperationKind::exclusive_scan:
      return reduce(team_, way_of_fold(op_.kind, way, team_.size()), op_.kind, arithmetic(), in(),
                    out(), op_.send.count, op_.root);
    case OperationKind::send:
    case OperationKind::recv:
    case OperationKind::send_recv:
      break;  // never served here
  }
  __builtin_unreachable();
}

bool NodeCall::run_directly(Way way) {
  switch (op_.kind) {
    case OperationKind::broadcast: {
      const std::size_t bytes = op_.receive.bytes();
      return is_direct(way, bytes, is_handed_well(bytes)) &&
             direct_.broadcast(out(), bytes, op_.root);
    }
    case OperationKind::reduce: {
      return is_direct(way, op_.send.bytes(), false) &&
             direct_.reduce(arithmetic(), in(), out(), op_.send.count, op_.root);
    }
    case OperationKind::all_reduce: {
      const std::size_t bytes = op_.send.bytes();
      return is_direct(way, bytes, is_handed_well(bytes)) &&
             direct_.all_reduce(arithmetic(), in(), out(), op_.send.count);
    }
    case OperationKind::exclusive_scan: {
      const std::size_t bytes = op_.send.bytes();
      return is_direct(way, bytes, is_handed_well(bytes)) &&
             direct_.exclusive_scan(arithmetic(), in(), out(), op_.send.count);
    }
    case OperationKind::all_gather: {
      const std::size_t block = received().longest(team_.size());
      const bool well = team_.size() <= Direct::few_ranks && block >= least_of_few;
      return is_direct(way, block, well) && direct_.all_gather(in(), out(), received());
    }
    case OperationKind::scatter: {
      const std::size_t block = op_.receive.bytes();
      return !op_.uneven && is_direct(way, block, is_scattered_well(block)) &&
             direct_.scatter(in(), out(), block, op_.root);
    }
    case OperationKind::all_to_all: {
      const std::size_t block = op_.send.bytes() / team_.n();
      return !op_.uneven && is_direct(way, block, is_exchanged_well(block)) &&
             direct_.all_to_all(in(), out(), block);
    }
    default:
      return false;
  }
}

/// Of what one of two ranks hands to the other.
bool NodeCall::is_handed_well(std::size_t bytes) const noexcept {
  return team_.size() == 2 && bytes >= least_of_few && bytes <= most_handed;
}

bool NodeCall::is_scattered_well(std::size_t block) const noexcept {
  return team_.size() <= Direct::few_ranks ? block >= least_scattered_of_few
                                           : block * team_.n() >= Direct::least_scattered;
}

bool NodeCall::is_exchanged_well(std::size_t block) const noexcept {
  return team_.size() <= Direct::few_ranks ? block >= least_of_few
                                           : block * team_.n() >= least_exchanged_in_all;
}

/// `well`: it goes well with so many ranks and bytes.
bool NodeCall::is_direct(Way way, std::size_t block, bool well) {
  if (way == Way::direct) return block != 0 && direct_.possible();
  if ((way != Way::shared && way != Way::direct_or_mpi) || !well) return false;
  return op_.kind == OperationKind::all_to_all ? direct_.exchange_pays(block * team_.n())
                                               : direct_.pays(block * team_.n());
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
