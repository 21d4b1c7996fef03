// Each collective as NCCL calls.
#include "core/scalar.hpp"
#include "cuda/memory.hpp"
#include "cuda/runtime.hpp"
#include "nccl/issue.hpp"

namespace tutti::nccl {

ncclRedOp_t Issuer::make_operator(const Operation& op, ncclDataType_t wire) {
  alignas(16) unsigned char converted[16] = {};
  void* scalar = const_cast<void*>(op.op.device_scalar());
  const bool on_device = scalar != nullptr;
  if (!on_device) {
    DataType type = op.send.type;
    if (type == DataType::complex64) type = DataType::float32;
    if (type == DataType::complex128) type = DataType::float64;
    static_cast<void>(convert_scalar(op.op, type, converted));
    scalar = converted;
  }
  ncclRedOp_t made = ncclSum;
  check(functions().ncclRedOpCreatePreMulSum(&made, scalar, wire,
                                             on_device ? ncclScalarDevice : ncclScalarHostImmediate,
                                             handle_.get()),
        "ncclRedOpCreatePreMulSum", handle_.get());
  operators_.push_back(made);
  return made;
}

void Issuer::reduction(const Operation& op) {
  const Functions& f = functions();
  const Reduction how = reduction_of(op);
  if (op.uneven) return uneven_reduce_scatter(op, how);
  const bool scatters = op.kind == OperationKind::reduce_scatter;
  const std::size_t elements = scatters ? op.receive.count : op.send.count;
  if (elements == 0) return;
  const ncclRedOp_t with = operator_for(op, how);
  const std::size_t count = elements * how.wire.per_element;
  if (scatters)
    call(f.ncclReduceScatter(op.send.data, op.receive.data, count, how.wire.type, with,
                             handle_.get(), stream_),
         "ncclReduceScatter");
  else if (op.kind == OperationKind::reduce)
    call(f.ncclReduce(op.send.data, op.receive.data, count, how.wire.type, with, op.root,
                      handle_.get(), stream_),
         "ncclReduce");
  else
    call(f.ncclAllReduce(op.send.data, op.receive.data, count, how.wire.type, with, handle_.get(),
                         stream_),
         "ncclAllReduce");
}

// Each block is reduced to the rank that wants it, all in one group.
void Issuer::uneven_reduce_scatter(const Operation& op, const Reduction& how) {
  const ncclRedOp_t with = operator_for(op, how);
  const BlockLayout blocks(op.send_blocks);
  for (int r = 0; r < size_; ++r) {
    if (blocks.count(r) == 0) continue;
    const auto* const from =
        static_cast<const std::byte*>(op.send.data) + blocks.offset(r) * size_of(op.send.type);
    call(functions().ncclReduce(from, r == rank_ ? op.receive.data : nullptr,
                                blocks.count(r) * how.wire.per_element, how.wire.type, with, r,
                                handle_.get(), stream_),
         "ncclReduce");
    step_done();
  }
}

void Issuer::broadcast(const Operation& op) {
  const MemoryView& data = op.receive;
  if (data.count == 0) return;
  const Wire wire = movement_wire(data.type);
  call(functions().ncclBroadcast(data.data, data.data, data.count * wire.per_element, wire.type,
                                 op.root, handle_.get(), stream_),
       "ncclBroadcast");
}

void Issuer::all_gather(const Operation& op) {
  if (op.uneven) return uneven_all_gather(op);
  if (op.send.count == 0) return;
  const Wire wire = movement_wire(op.send.type);
  call(functions().ncclAllGather(op.send.data, op.receive.data, op.send.count * wire.per_element,
                                 wire.type, handle_.get(), stream_),
       "ncclAllGather");
}

void Issuer::uneven_all_gather(const Operation& op) {
  const BlockLayout blocks(op.receive_blocks);
  copy(op.send, 0, op.receive, blocks.offset(rank_), blocks.count(rank_));
  // Step s: to the rank s above, from the rank s below; so the ranks agree on what a step is.
  for (int s = 1; s < size_; ++s) {
    const int to = (rank_ + s) % size_;
    const int from = (rank_ - s + size_) % size_;
    send(op.send, 0, op.send.count, to);
    receive(op.receive, blocks.offset(from), blocks.count(from), from);
    step_done();
  }
}

void Issuer::gather(const Operation& op) {
  const Wire wire = movement_wire(op.send.type);
  if (!op.uneven && functions().ncclGather != nullptr) {
    if (op.send.count == 0) return;
    return call(
        functions().ncclGather(op.send.data, op.receive.data, op.send.count * wire.per_element,
                               wire.type, op.root, handle_.get(), stream_),
        "ncclGather");
  }
  if (rank_ != op.root) send(op.send, 0, op.send.count, op.root);
  const BlockLayout blocks =
      op.uneven ? BlockLayout(op.receive_blocks) : BlockLayout(op.send.count);
  if (rank_ == op.root) copy(op.send, 0, op.receive, blocks.offset(rank_), blocks.count(rank_));
  for (int r = 0; r < size_; ++r) {
    if (rank_ == op.root && r != rank_) receive(op.receive, blocks.offset(r), blocks.count(r), r);
    step_done();
  }
}

void Issuer::scatter(const Operation& op) {
  const Wire wire = movement_wire(op.receive.type);
  if (!op.uneven && functions().ncclScatter != nullptr) {
    if (op.receive.count == 0) return;
    return call(
        functions().ncclScatter(op.send.data, op.receive.data, op.receive.count * wire.per_element,
                                wire.type, op.root, handle_.get(), stream_),
        "ncclScatter");
  }
  if (rank_ != op.root) receive(op.receive, 0, op.receive.count, op.root);
  const BlockLayout blocks =
      op.uneven ? BlockLayout(op.send_blocks) : BlockLayout(op.receive.count);
  if (rank_ == op.root) copy(op.send, blocks.offset(rank_), op.receive, 0, blocks.count(rank_));
  for (int r = 0; r < size_; ++r) {
    if (rank_ == op.root && r != rank_) send(op.send, blocks.offset(r), blocks.count(r), r);
    step_done();
  }
}

// NCCL would overwrite what it has yet to send.
const void* Issuer::apart(const Operation& op) {
  if (op.send.data != op.receive.data || op.send.count == 0) return op.send.data;
  const cuda::RelaxedCapture relaxed;
  scratch_.push_back(cuda::allocate_on(stream_, op.send.bytes()));
  cuda::copy_on(stream_, scratch_.back(), op.send.data, op.send.bytes());
  return scratch_.back();
}

void Issuer::all_to_all(const Operation& op) {
  MemoryView in = op.send;
  in.data = const_cast<void*>(apart(op));
  const auto n = static_cast<std::size_t>(size_);
  const Wire wire = movement_wire(in.type);
  if (!op.uneven && functions().ncclAlltoAll != nullptr) {
    if (in.count == 0) return;
    return call(functions().ncclAlltoAll(in.data, op.receive.data, in.count / n * wire.per_element,
                                         wire.type, handle_.get(), stream_),
                "ncclAlltoAll");
  }
  const BlockLayout sent = op.uneven ? BlockLayout(op.send_blocks) : BlockLayout(in.count / n);
  const BlockLayout received = op.uneven ? BlockLayout(op.receive_blocks) : sent;
  copy(in, sent.offset(rank_), op.receive, received.offset(rank_), sent.count(rank_));
  for (int s = 1; s < size_; ++s) {
    const int to = (rank_ + s) % size_;
    const int from = (rank_ - s + size_) % size_;
    send(in, sent.offset(to), sent.count(to), to);
    receive(op.receive, received.offset(from), received.count(from), from);
    step_done();
  }
}

}  // namespace tutti::nccl
