// Operations that take several NCCL calls, or something made for one.
#include "core/scalar.hpp"
#include "cuda/memory.hpp"
#include "cuda/runtime.hpp"
#include "nccl/issue.hpp"

namespace tutti::nccl {

ncclRedOp_t Issuer::make_operator(const Operation& op) {
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
  check(functions().ncclRedOpCreatePreMulSum(&made, scalar, reduction_of(op).wire.type,
                                             on_device ? ncclScalarDevice : ncclScalarHostImmediate,
                                             handle_.get()),
        "ncclRedOpCreatePreMulSum", handle_.get());
  operators_.push_back(made);
  return made;
}

// Each block is reduced to the rank that wants it, all in one group.
void Issuer::uneven_reduce_scatter(const Operation& op) {
  const Reduction how = reduction_of(op);
  SingleCall to_one{OperationKind::reduce};
  to_one.type = how.wire.type;
  to_one.reduction = how.pre_multiplied ? make_operator(op) : how.op;
  const BlockLayout blocks(op.send_blocks);
  for (int r = 0; r < size_; ++r) {
    if (blocks.count(r) == 0) continue;
    to_one.in =
        static_cast<const std::byte*>(op.send.data) + blocks.offset(r) * size_of(op.send.type);
    to_one.out = r == rank_ ? op.receive.data : nullptr;
    to_one.count = blocks.count(r) * how.wire.per_element;
    to_one.peer = r;
    call(to_one);
    step_done();
  }
}

void Issuer::all_gather(const Operation& op) {
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
