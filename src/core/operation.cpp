#include "tutti/operation.hpp"

#include "core/text.hpp"

namespace tutti {

std::string_view to_string(OperationKind kind) noexcept {
  switch (kind) {
    case OperationKind::all_reduce: return "all_reduce";
    case OperationKind::reduce: return "reduce";
    case OperationKind::broadcast: return "broadcast";
    case OperationKind::all_gather: return "all_gather";
    case OperationKind::reduce_scatter: return "reduce_scatter";
    case OperationKind::gather: return "gather";
    case OperationKind::scatter: return "scatter";
    case OperationKind::all_to_all: return "all_to_all";
    case OperationKind::scan: return "scan";
    case OperationKind::exclusive_scan: return "exclusive_scan";
    case OperationKind::send: return "send";
    case OperationKind::recv: return "recv";
    case OperationKind::send_recv: return "send_recv";
    case OperationKind::barrier: return "barrier";
  }
  __builtin_unreachable();
}

namespace {

Operation two_sided(OperationKind kind, const MemoryView& in, const MemoryView& out) noexcept {
  Operation operation;
  operation.kind = kind;
  operation.send = in;
  operation.receive = out;
  return operation;
}

Operation one_sided(OperationKind kind, const MemoryView& data) noexcept {
  Operation operation = two_sided(kind, data, data);
  operation.one_range = true;
  return operation;
}

Operation with_op(Operation operation, ReduceOp op) noexcept {
  operation.op = op;
  return operation;
}

Operation with_root(Operation operation, int root) noexcept {
  operation.root = root;
  return operation;
}

Operation with_blocks(Operation operation, Blocks send, Blocks receive) noexcept {
  operation.send_blocks = send;
  operation.receive_blocks = receive;
  operation.uneven = true;
  return operation;
}

Operation with_peers(Operation operation, int to, int from, int tag) noexcept {
  operation.to = to;
  operation.from = from;
  operation.tag = tag;
  return operation;
}

}  // namespace

Operation all_reduce(SendView in, ReceiveView out, ReduceOp op) noexcept {
  return with_op(two_sided(OperationKind::all_reduce, in, out), op);
}
Operation all_reduce(ReceiveView data, ReduceOp op) noexcept {
  return with_op(one_sided(OperationKind::all_reduce, data), op);
}

Operation reduce(SendView in, ReceiveView out, ReduceOp op, int root) noexcept {
  return with_root(with_op(two_sided(OperationKind::reduce, in, out), op), root);
}
Operation reduce(ReceiveView data, ReduceOp op, int root) noexcept {
  return with_root(with_op(one_sided(OperationKind::reduce, data), op), root);
}

Operation broadcast(ReceiveView data, int root) noexcept {
  return with_root(one_sided(OperationKind::broadcast, data), root);
}

Operation all_gather(SendView in, ReceiveView out) noexcept {
  return two_sided(OperationKind::all_gather, in, out);
}
Operation all_gather(ReceiveView data) noexcept {
  return one_sided(OperationKind::all_gather, data);
}
Operation all_gather(SendView in, ReceiveView out, Blocks blocks) noexcept {
  return with_blocks(two_sided(OperationKind::all_gather, in, out), {}, blocks);
}

Operation reduce_scatter(SendView in, ReceiveView out, ReduceOp op) noexcept {
  return with_op(two_sided(OperationKind::reduce_scatter, in, out), op);
}
Operation reduce_scatter(ReceiveView data, ReduceOp op) noexcept {
  return with_op(one_sided(OperationKind::reduce_scatter, data), op);
}
Operation reduce_scatter(SendView in, ReceiveView out, ReduceOp op, Blocks blocks) noexcept {
  return with_blocks(with_op(two_sided(OperationKind::reduce_scatter, in, out), op), blocks, {});
}

Operation gather(SendView in, ReceiveView out, int root) noexcept {
  return with_root(two_sided(OperationKind::gather, in, out), root);
}
Operation gather(SendView in, ReceiveView out, int root, Blocks blocks) noexcept {
  return with_blocks(with_root(two_sided(OperationKind::gather, in, out), root), {}, blocks);
}

Operation scatter(SendView in, ReceiveView out, int root) noexcept {
  return with_root(two_sided(OperationKind::scatter, in, out), root);
}
Operation scatter(SendView in, ReceiveView out, int root, Blocks blocks) noexcept {
  return with_blocks(with_root(two_sided(OperationKind::scatter, in, out), root), blocks, {});
}

Operation all_to_all(SendView in, ReceiveView out) noexcept {
  return two_sided(OperationKind::all_to_all, in, out);
}
Operation all_to_all(SendView in, Blocks in_blocks, ReceiveView out, Blocks out_blocks) noexcept {
  return with_blocks(two_sided(OperationKind::all_to_all, in, out), in_blocks, out_blocks);
}

Operation scan(SendView in, ReceiveView out, ReduceOp op) noexcept {
  return with_op(two_sided(OperationKind::scan, in, out), op);
}
Operation exclusive_scan(SendView in, ReceiveView out, ReduceOp op) noexcept {
  return with_op(two_sided(OperationKind::exclusive_scan, in, out), op);
}

Operation send(SendView in, int peer, int tag) noexcept {
  return with_peers(two_sided(OperationKind::send, in, {}), peer, 0, tag);
}
Operation recv(ReceiveView out, int peer, int tag) noexcept {
  return with_peers(two_sided(OperationKind::recv, {}, out), 0, peer, tag);
}
Operation send_recv(SendView in, int to, ReceiveView out, int from, int tag) noexcept {
  return with_peers(two_sided(OperationKind::send_recv, in, out), to, from, tag);
}

Operation barrier() noexcept { return {}; }

std::string describe(const Operation& operation) {
  std::string words(to_string(operation.kind));
  const MemoryView& data = operation.send.given ? operation.send : operation.receive;
  if (data.given) words += text(" of ", data.count, ' ', to_string(data.type));
  switch (operation.kind) {
    case OperationKind::all_reduce:
    case OperationKind::reduce_scatter:
    case OperationKind::scan:
    case OperationKind::exclusive_scan: words += text(", ", to_string(operation.op.kind())); break;
    case OperationKind::reduce:
      words += text(", ", to_string(operation.op.kind()), ", to root ", operation.root);
      break;
    case OperationKind::broadcast:
    case OperationKind::scatter: words += text(" from root ", operation.root); break;
    case OperationKind::gather: words += text(" to root ", operation.root); break;
    case OperationKind::send: words += text(" to rank ", operation.to); break;
    case OperationKind::recv: words += text(" from rank ", operation.from); break;
    case OperationKind::send_recv:
      words += text(" to rank ", operation.to, ", from rank ", operation.from);
      break;
    case OperationKind::all_gather:
    case OperationKind::all_to_all:
    case OperationKind::barrier: break;
  }
  return words;
}

}  // namespace tutti
