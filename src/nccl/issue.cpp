#include "nccl/issue.hpp"

#include "core/log.hpp"
#include "cuda/memory.hpp"
#include "nccl/rounds.hpp"

namespace tutti::nccl {

namespace {

// NCCL takes at most 2048 operations in one group; a step is at most two.
constexpr int steps_of_a_group = 1024;

}  // namespace

void Issuer::clean_up() noexcept {
  // After a failure: a group that stays open would swallow the calls of others on this thread.
  if (grouped_) static_cast<void>(functions().ncclGroupEnd());
  for (const ncclRedOp_t made : operators_)
    if (functions().ncclRedOpDestroy(made, handle_.get()) != ncclSuccess)
      log(LogLevel::debug, "ncclRedOpDestroy failed");
  for (void* const memory : scratch_) cuda::free_on(stream_, memory);
}

bool Issuer::needs_group(OperationList operations) const noexcept {
  if (operations.size() != 1) return true;
  const Operation& op = operations.front();
  if (op.uneven || op.kind == OperationKind::send_recv) return true;
  // Older versions have no call of their own for these.
  if (op.kind == OperationKind::gather) return functions().ncclGather == nullptr;
  if (op.kind == OperationKind::scatter) return functions().ncclScatter == nullptr;
  if (op.kind == OperationKind::all_to_all) return functions().ncclAlltoAll == nullptr;
  return false;
}

void Issuer::issue_in_rounds(OperationList operations) {
  if (operations.size() == 1 || fit_one_round(operations.size(), size_))
    return issue_together(operations);
  for (const std::vector<Operation>& round : rounds_of(operations, size_))
    issue_together({round.data(), round.size()});
}

void Issuer::issue_together(OperationList operations) {
  alone_ = operations.size() == 1;
  open_group();
  for (const Operation& operation : operations) one(operation);
  close_group();
}

void Issuer::issue_within_group(OperationList operations) {
  within_ = true;
  alone_ = false;
  for (const Operation& operation : operations) one(operation);
}

void Issuer::open_group() {
  TUTTI_NCCL(ncclGroupStart());
  grouped_ = true;
  steps_ = 0;
}

void Issuer::close_group() {
  grouped_ = false;
  handle_.settle(functions().ncclGroupEnd(), "ncclGroupEnd", deadline_);
}

void Issuer::settle(ncclResult_t result, const char* name) {
  if (!grouped_ && !within_) return handle_.settle(result, name, deadline_);
  if (result != ncclInProgress) check(result, name, handle_.get());
}

void Issuer::step_done() {
  if (!alone_ || ++steps_ < steps_of_a_group) return;
  close_group();
  open_group();
}

void Issuer::one(const Operation& op) {
  switch (op.kind) {
    case OperationKind::all_reduce:
    case OperationKind::reduce:
    case OperationKind::reduce_scatter:
      return reduction(op);
    case OperationKind::broadcast:
      return broadcast(op);
    case OperationKind::all_gather:
      return all_gather(op);
    case OperationKind::gather:
      return gather(op);
    case OperationKind::scatter:
      return scatter(op);
    case OperationKind::all_to_all:
      return all_to_all(op);
    case OperationKind::send:
      return send(op.send, 0, op.send.count, op.to);
    case OperationKind::recv:
      return receive(op.receive, 0, op.receive.count, op.from);
    case OperationKind::send_recv: {
      MemoryView in = op.send;
      in.data = const_cast<void*>(apart(op));
      send(in, 0, in.count, op.to);
      return receive(op.receive, 0, op.receive.count, op.from);
    }
    case OperationKind::barrier:
      return barrier();
    case OperationKind::scan:
    case OperationKind::exclusive_scan:
      throw Error(Errc::unsupported, "NCCL has no scan");
  }
}

void Issuer::barrier() {
  call(functions().ncclAllReduce(word_, word_, 1, ncclInt32, ncclSum, handle_.get(), stream_),
       "ncclAllReduce");
}

void Issuer::send(const MemoryView& side, std::size_t offset, std::size_t count, int peer) {
  if (count == 0) return;  // and so does the peer, whose count is the same
  const Wire wire = movement_wire(side.type);
  const auto* const from = static_cast<const std::byte*>(side.data) + offset * size_of(side.type);
  call(
      functions().ncclSend(from, count * wire.per_element, wire.type, peer, handle_.get(), stream_),
      "ncclSend");
}

void Issuer::receive(const MemoryView& side, std::size_t offset, std::size_t count, int peer) {
  if (count == 0) return;
  const Wire wire = movement_wire(side.type);
  auto* const to = static_cast<std::byte*>(side.data) + offset * size_of(side.type);
  call(functions().ncclRecv(to, count * wire.per_element, wire.type, peer, handle_.get(), stream_),
       "ncclRecv");
}

void Issuer::copy(const MemoryView& from, std::size_t from_offset, const MemoryView& to,
                  std::size_t to_offset, std::size_t count) {
  const std::size_t element = size_of(to.type);
  const auto* const source = static_cast<const std::byte*>(from.data) + from_offset * element;
  auto* const target = static_cast<std::byte*>(to.data) + to_offset * element;
  if (source != target) cuda::copy_on(stream_, target, source, count * element);
}

}  // namespace tutti::nccl
