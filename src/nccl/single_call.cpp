#include "nccl/single_call.hpp"

#include "core/activity.hpp"
#include "nccl/handle.hpp"
#include "nccl/table.hpp"

namespace tutti::nccl {

namespace {

// As NCCL counts them: of a block, where there are blocks.
std::size_t elements_of(const Operation& operation, int size) noexcept {
  switch (operation.kind) {
    case OperationKind::reduce_scatter:
    case OperationKind::broadcast:
    case OperationKind::scatter:
    case OperationKind::recv:
      return operation.receive.count;
    case OperationKind::all_to_all:
      return operation.send.count / static_cast<std::size_t>(size);
    case OperationKind::all_reduce:
    case OperationKind::reduce:
    case OperationKind::all_gather:
    case OperationKind::gather:
    case OperationKind::scan:
    case OperationKind::exclusive_scan:
    case OperationKind::send:
    case OperationKind::send_recv:
    case OperationKind::barrier:
      return operation.send.count;
  }
  __builtin_unreachable();
}

int peer_of(const Operation& operation) noexcept {
  if (is_collective(operation.kind)) return operation.root;
  return operation.kind == OperationKind::recv ? operation.from : operation.to;
}

bool needs_copy_in_place(OperationKind kind) noexcept {
  return kind == OperationKind::all_to_all || kind == OperationKind::send_recv;
}

}  // namespace

bool is_single_call(const Operation& operation) noexcept {
  const Functions& f = functions();
  if (operation.uneven) return false;
  switch (operation.kind) {
    // Older versions have no call of their own for these.
    case OperationKind::gather:
      return f.ncclGather != nullptr;
    case OperationKind::scatter:
      return f.ncclScatter != nullptr;
    case OperationKind::all_to_all:
      return f.ncclAlltoAll != nullptr;
    case OperationKind::all_reduce:
    case OperationKind::reduce:
    case OperationKind::broadcast:
    case OperationKind::all_gather:
    case OperationKind::reduce_scatter:
    case OperationKind::scan:
    case OperationKind::exclusive_scan:
    case OperationKind::send:
    case OperationKind::recv:
    case OperationKind::send_recv:
    case OperationKind::barrier:
      return true;
  }
  __builtin_unreachable();
}

bool is_complete(const Operation& operation) noexcept {
  const bool scratch =
      needs_copy_in_place(operation.kind) && operation.send.data == operation.receive.data;
  const bool scalar =
      reduces(operation.kind) && operation.op.kind() == ReduceOp::Kind::pre_multiplied;
  return is_single_call(operation) && operation.kind != OperationKind::barrier && !scratch &&
         !scalar;
}

SingleCall single_call_of(const Operation& operation, int size) noexcept {
  SingleCall call{operation.kind, operation.send.data, operation.receive.data};
  if (operation.kind == OperationKind::barrier) {
    call.kind = OperationKind::all_reduce;
    call.type = ncclInt32;
    call.count = 1;
    return call;
  }
  if (operation.kind == OperationKind::broadcast) call.in = call.out;
  call.peer = peer_of(operation);
  Wire wire;
  if (reduces(operation.kind)) {
    const Reduction how = reduction_of(operation);
    wire = how.wire;
    call.reduction = how.op;
  } else {
    wire = movement_wire(operation.send.given ? operation.send.type : operation.receive.type);
  }
  call.type = wire.type;
  call.count = elements_of(operation, size) * wire.per_element;
  if (operation.kind == OperationKind::send_recv) {
    call.from = operation.from;
    call.out_count = operation.receive.count * wire.per_element;
  }
  return call;
}

ncclResult_t Handle::exchange(const SingleCall& call, cudaStream_t stream) const {
  const Functions& f = functions();
  const auto type = static_cast<ncclDataType_t>(call.type);
  const ncclComm_t comm = get();
  ncclResult_t result = f.ncclGroupStart();
  if (result != ncclSuccess) [[unlikely]]
    return result;
  const auto goes_on = [&] { return result == ncclSuccess || result == ncclInProgress; };
  if (call.count != 0) result = f.ncclSend(call.in, call.count, type, call.peer, comm, stream);
  if (call.out_count != 0 && goes_on())
    result = f.ncclRecv(call.out, call.out_count, type, call.from, comm, stream);
  // Also after a failure: a group that stays open would swallow the calls of others on this thread.
  const ncclResult_t ended = f.ncclGroupEnd();
  return goes_on() ? ended : result;
}

ncclResult_t Handle::make(const SingleCall& call, cudaStream_t stream) const {
  if (call.kind == OperationKind::send_recv) return exchange(call, stream);
  if (call.count == 0) return ncclSuccess;
  const Functions& f = functions();
  const auto type = static_cast<ncclDataType_t>(call.type);
  const auto reduction = static_cast<ncclRedOp_t>(call.reduction);
  const std::size_t n = call.count;
  const ncclComm_t comm = get();
  switch (call.kind) {
    case OperationKind::all_reduce:
      return f.ncclAllReduce(call.in, call.out, n, type, reduction, comm, stream);
    case OperationKind::reduce:
      return f.ncclReduce(call.in, call.out, n, type, reduction, call.peer, comm, stream);
    case OperationKind::broadcast:
      return f.ncclBroadcast(call.in, call.out, n, type, call.peer, comm, stream);
    case OperationKind::all_gather:
      return f.ncclAllGather(call.in, call.out, n, type, comm, stream);
    case OperationKind::reduce_scatter:
      return f.ncclReduceScatter(call.in, call.out, n, type, reduction, comm, stream);
    case OperationKind::gather:
      return f.ncclGather(call.in, call.out, n, type, call.peer, comm, stream);
    case OperationKind::scatter:
      return f.ncclScatter(call.in, call.out, n, type, call.peer, comm, stream);
    case OperationKind::all_to_all:
      return f.ncclAlltoAll(call.in, call.out, n, type, comm, stream);
    case OperationKind::send:
      return f.ncclSend(call.in, n, type, call.peer, comm, stream);
    case OperationKind::recv:
      return f.ncclRecv(call.out, n, type, call.peer, comm, stream);
    case OperationKind::scan:
    case OperationKind::exclusive_scan:
    case OperationKind::send_recv:
    case OperationKind::barrier:
      break;
  }
  throw Error(Errc::unsupported, "NCCL has no " + std::string(to_string(call.kind)));
}

const char* name_of(const SingleCall& call) noexcept {
  switch (call.kind) {
    case OperationKind::all_reduce:
      return "ncclAllReduce";
    case OperationKind::reduce:
      return "ncclReduce";
    case OperationKind::broadcast:
      return "ncclBroadcast";
    case OperationKind::all_gather:
      return "ncclAllGather";
    case OperationKind::reduce_scatter:
      return "ncclReduceScatter";
    case OperationKind::gather:
      return "ncclGather";
    case OperationKind::scatter:
      return "ncclScatter";
    case OperationKind::all_to_all:
      return "ncclAlltoAll";
    case OperationKind::send:
      return "ncclSend";
    case OperationKind::recv:
      return "ncclRecv";
    case OperationKind::scan:
    case OperationKind::exclusive_scan:
    case OperationKind::barrier:
      break;
    case OperationKind::send_recv:
      return "ncclSend and ncclRecv";
  }
  return "NCCL";
}

}  // namespace tutti::nccl
