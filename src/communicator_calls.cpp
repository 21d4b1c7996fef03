#include "tutti/communicator.hpp"

// Every verb ends in its OperationList form, every plain name in `run`.

namespace tutti {

namespace {
OperationList list(std::initializer_list<Operation> group) noexcept {
  return {group.begin(), group.size()};
}
}  // namespace

void Communicator::run(const Operation& operation) const {
  run(Operation(operation));
}
void Communicator::run(std::initializer_list<Operation> group) const {
  run(list(group));
}
Work Communicator::start(const Operation& operation) const {
  return start(OperationList(operation));
}
Work Communicator::start(std::initializer_list<Operation> group) const {
  return start(list(group));
}
void Communicator::enqueue(const Operation& operation, cudaStream_t stream) const {
  enqueue(Operation(operation), stream);
}
void Communicator::enqueue(std::initializer_list<Operation> group, cudaStream_t stream) const {
  enqueue(list(group), stream);
}
Plan Communicator::plan(const Operation& operation) const {
  return plan(OperationList(operation));
}
Plan Communicator::plan(std::initializer_list<Operation> group) const {
  return plan(list(group));
}

void Communicator::all_reduce(const SendView& in, const ReceiveView& out,
                              const ReduceOp& op) const {
  run(tutti::all_reduce(in, out, op));
}
void Communicator::all_reduce(const ReceiveView& data, const ReduceOp& op) const {
  run(tutti::all_reduce(data, op));
}
void Communicator::reduce(const SendView& in, const ReceiveView& out, const ReduceOp& op,
                          int root) const {
  run(tutti::reduce(in, out, op, root));
}
void Communicator::reduce(const ReceiveView& data, const ReduceOp& op, int root) const {
  run(tutti::reduce(data, op, root));
}
void Communicator::broadcast(const ReceiveView& data, int root) const {
  run(tutti::broadcast(data, root));
}
void Communicator::all_gather(const SendView& in, const ReceiveView& out) const {
  run(tutti::all_gather(in, out));
}
void Communicator::all_gather(const ReceiveView& data) const {
  run(tutti::all_gather(data));
}
void Communicator::all_gather(const SendView& in, const ReceiveView& out,
                              const Blocks& blocks) const {
  run(tutti::all_gather(in, out, blocks));
}
void Communicator::reduce_scatter(const SendView& in, const ReceiveView& out,
                                  const ReduceOp& op) const {
  run(tutti::reduce_scatter(in, out, op));
}
void Communicator::reduce_scatter(const ReceiveView& data, const ReduceOp& op) const {
  run(tutti::reduce_scatter(data, op));
}
void Communicator::reduce_scatter(const SendView& in, const ReceiveView& out, const ReduceOp& op,
                                  const Blocks& blocks) const {
  run(tutti::reduce_scatter(in, out, op, blocks));
}
void Communicator::gather(const SendView& in, const ReceiveView& out, int root) const {
  run(tutti::gather(in, out, root));
}
void Communicator::gather(const SendView& in, const ReceiveView& out, int root,
                          const Blocks& blocks) const {
  run(tutti::gather(in, out, root, blocks));
}
void Communicator::scatter(const SendView& in, const ReceiveView& out, int root) const {
  run(tutti::scatter(in, out, root));
}
void Communicator::scatter(const SendView& in, const ReceiveView& out, int root,
                           const Blocks& blocks) const {
  run(tutti::scatter(in, out, root, blocks));
}
void Communicator::all_to_all(const SendView& in, const ReceiveView& out) const {
  run(tutti::all_to_all(in, out));
}
void Communicator::all_to_all(const SendView& in, const Blocks& in_blocks, const ReceiveView& out,
                              const Blocks& out_blocks) const {
  run(tutti::all_to_all(in, in_blocks, out, out_blocks));
}
void Communicator::scan(const SendView& in, const ReceiveView& out, const ReduceOp& op) const {
  run(tutti::scan(in, out, op));
}
void Communicator::exclusive_scan(const SendView& in, const ReceiveView& out,
                                  const ReduceOp& op) const {
  run(tutti::exclusive_scan(in, out, op));
}
void Communicator::send(const SendView& in, int peer, int tag) const {
  run(tutti::send(in, peer, tag));
}
void Communicator::recv(const ReceiveView& out, int peer, int tag) const {
  run(tutti::recv(out, peer, tag));
}
void Communicator::send_recv(const SendView& in, int to, const ReceiveView& out, int from,
                             int tag) const {
  run(tutti::send_recv(in, to, out, from, tag));
}
void Communicator::barrier() const {
  run(tutti::barrier());
}

}  // namespace tutti
