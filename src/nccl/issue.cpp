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
  if (is_single_call(op)) return one_call(op);
  switch (op.kind) {
    case OperationKind::reduce_scatter:
      return uneven_reduce_scatter(op);
    case OperationKind::all_gather:
      return all_gather(op);
    case OperationKind::gather:
      return gather(op);
    case OperationKind::scatter:
      return scatter(op);
    case OperationKind::all_to_all:
      return all_to_all(op);
    case OperationKind::all_reduce:
    case OperationKind::reduce:
    case OperationKind::broadcast:
    case OperationKind::scan:
    case OperationKind::exclusive_scan:
    case OperationKind::send:
    case OperationKind::recv:
    case OperationKind::send_recv:
    case OperationKind::barrier:
      break;
  }
  throw Error(Errc::unsupported, "NCCL has no uneven " + std::string(to_string(op.kind)));
}

void Issuer::one_call(const Operation& op) {
  SingleCall single = single_call_of(op, size_);
  if (!is_complete(op)) [[unlikely]] {
    if (op.kind == OperationKind::barrier)
      single.in = single.out = word_;
    else if (single.kind == OperationKind::all_to_all || single.kind == OperationKind::send_recv)
      single.in = apart(op);
    else if (single.count != 0)
      single.reduction = make_operator(op);
  }
  call(single);
}

void Issuer::send(const MemoryView& side, std::size_t offset, std::size_t count, int peer) {
  const Wire wire = movement_wire(side.type);
  SingleCall message{OperationKind::send};
  message.in = static_cast<const std::byte*>(side.data) + offset * size_of(side.type);
  message.type = wire.type;
  message.count = count * wire.per_element;
  message.peer = peer;
  call(message);
}

void Issuer::receive(const MemoryView& side, std::size_t offset, std::size_t count, int peer) {
  const Wire wire = movement_wire(side.type);
  SingleCall message{OperationKind::recv};
  message.out = static_cast<std::byte*>(side.data) + offset * size_of(side.type);
  message.type = wire.type;
  message.count = count * wire.per_element;
  message.peer = peer;
  call(message);
}

void Issuer::copy(const MemoryView& from, std::size_t from_offset, const MemoryView& to,
                  std::size_t to_offset, std::size_t count) {
  const std::size_t element = size_of(to.type);
  const auto* const source = static_cast<const std::byte*>(from.data) + from_offset * element;
  auto* const target = static_cast<std::byte*>(to.data) + to_offset * element;
  if (source != target) cuda::copy_on(stream_, target, source, count * element);
}

}  // namespace tutti::nccl
