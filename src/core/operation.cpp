#include "tutti/operation.hpp"

#include "core/activity.hpp"
#include "core/text.hpp"

namespace tutti {

std::string_view to_string(OperationKind kind) noexcept {
  switch (kind) {
    case OperationKind::all_reduce:
      return "all_reduce";
    case OperationKind::reduce:
      return "reduce";
    case OperationKind::broadcast:
      return "broadcast";
    case OperationKind::all_gather:
      return "all_gather";
    case OperationKind::reduce_scatter:
      return "reduce_scatter";
    case OperationKind::gather:
      return "gather";
    case OperationKind::scatter:
      return "scatter";
    case OperationKind::all_to_all:
      return "all_to_all";
    case OperationKind::scan:
      return "scan";
    case OperationKind::exclusive_scan:
      return "exclusive_scan";
    case OperationKind::send:
      return "send";
    case OperationKind::recv:
      return "recv";
    case OperationKind::send_recv:
      return "send_recv";
    case OperationKind::barrier:
      return "barrier";
  }
  __builtin_unreachable();
}

namespace {

// A small operation takes as long as some tens of these instructions: members are set once, in the
// object that the caller gets, and read in the widths in which they were written.

MemoryView side(const MemoryView& view) noexcept {
  return {view.data, view.count, view.type, view.kind, view.given};
}

}  // namespace

Operation all_reduce(const SendView& in, const ReceiveView& out, const ReduceOp& op) noexcept {
  return {.kind = OperationKind::all_reduce, .op = op, .send = side(in), .receive = side(out)};
}

Operation all_reduce(const ReceiveView& data, const ReduceOp& op) noexcept {
  return {.kind = OperationKind::all_reduce,
          .one_range = true,
          .op = op,
          .send = side(data),
          .receive = side(data)};
}

Operation reduce(const SendView& in, const ReceiveView& out, const ReduceOp& op,
                 int root) noexcept {
  return {.kind = OperationKind::reduce,
          .op = op,
          .root = root,
          .send = side(in),
          .receive = side(out)};
}

Operation reduce(const ReceiveView& data, const ReduceOp& op, int root) noexcept {
  return {.kind = OperationKind::reduce,
          .one_range = true,
          .op = op,
          .root = root,
          .send = side(data),
          .receive = side(data)};
}

Operation broadcast(const ReceiveView& data, int root) noexcept {
  return {.kind = OperationKind::broadcast, .root = root, .receive = side(data)};
}

Operation all_gather(const SendView& in, const ReceiveView& out) noexcept {
  return {.kind = OperationKind::all_gather, .send = side(in), .receive = side(out)};
}

Operation all_gather(const ReceiveView& data) noexcept {
  return {.kind = OperationKind::all_gather,
          .one_range = true,
          .send = side(data),
          .receive = side(data)};
}

Operation all_gather(const SendView& in, const ReceiveView& out, const Blocks& blocks) noexcept {
  return {.kind = OperationKind::all_gather,
          .uneven = true,
          .send = side(in),
          .receive = side(out),
          .receive_blocks = blocks};
}

Operation reduce_scatter(const SendView& in, const ReceiveView& out, const ReduceOp& op) noexcept {
  return {.kind = OperationKind::reduce_scatter, .op = op, .send = side(in), .receive = side(out)};
}

Operation reduce_scatter(const ReceiveView& data, const ReduceOp& op) noexcept {
  return {.kind = OperationKind::reduce_scatter,
          .one_range = true,
          .op = op,
          .send = side(data),
          .receive = side(data)};
}

Operation reduce_scatter(const SendView& in, const ReceiveView& out, const ReduceOp& op,
                         const Blocks& blocks) noexcept {
  return {.kind = OperationKind::reduce_scatter,
          .uneven = true,
          .op = op,
          .send = side(in),
          .receive = side(out),
          .send_blocks = blocks};
}

Operation gather(const SendView& in, const ReceiveView& out, int root) noexcept {
  return {.kind = OperationKind::gather, .root = root, .send = side(in), .receive = side(out)};
}

Operation gather(const SendView& in, const ReceiveView& out, int root,
                 const Blocks& blocks) noexcept {
  return {.kind = OperationKind::gather,
          .uneven = true,
          .root = root,
          .send = side(in),
          .receive = side(out),
          .receive_blocks = blocks};
}

Operation scatter(const SendView& in, const ReceiveView& out, int root) noexcept {
  return {.kind = OperationKind::scatter, .root = root, .send = side(in), .receive = side(out)};
}

Operation scatter(const SendView& in, const ReceiveView& out, int root,
                  const Blocks& blocks) noexcept {
  return {.kind = OperationKind::scatter,
          .uneven = true,
          .root = root,
          .send = side(in),
          .receive = side(out),
          .send_blocks = blocks};
}

Operation all_to_all(const SendView& in, const ReceiveView& out) noexcept {
  return {.kind = OperationKind::all_to_all, .send = side(in), .receive = side(out)};
}

Operation all_to_all(const SendView& in, const Blocks& in_blocks, const ReceiveView& out,
                     const Blocks& out_blocks) noexcept {
  return {.kind = OperationKind::all_to_all,
          .uneven = true,
          .send = side(in),
          .receive = side(out),
          .send_blocks = in_blocks,
          .receive_blocks = out_blocks};
}

Operation scan(const SendView& in, const ReceiveView& out, const ReduceOp& op) noexcept {
  return {.kind = OperationKind::scan, .op = op, .send = side(in), .receive = side(out)};
}

Operation exclusive_scan(const SendView& in, const ReceiveView& out, const ReduceOp& op) noexcept {
  return {.kind = OperationKind::exclusive_scan, .op = op, .send = side(in), .receive = side(out)};
}

Operation send(const SendView& in, int peer, int tag) noexcept {
  return {.kind = OperationKind::send, .to = peer, .tag = tag, .send = side(in)};
}

Operation recv(const ReceiveView& out, int peer, int tag) noexcept {
  return {.kind = OperationKind::recv, .from = peer, .tag = tag, .receive = side(out)};
}

Operation send_recv(const SendView& in, int to, const ReceiveView& out, int from,
                    int tag) noexcept {
  return {.kind = OperationKind::send_recv,
          .to = to,
          .from = from,
          .tag = tag,
          .send = side(in),
          .receive = side(out)};
}

Operation barrier() noexcept {
  return {};
}

std::string_view to_string(Verb verb) noexcept {
  switch (verb) {
    case Verb::run:
      return "run";
    case Verb::start:
      return "start";
    case Verb::plan:
      return "plan";
    case Verb::enqueue:
      return "enqueue";
    case Verb::split:
      return "split";
    case Verb::window:
      return "window";
  }
  __builtin_unreachable();
}

Activity unpack(const PackedActivity& packed) noexcept {
  const auto& [first, second, count] = packed.words;
  Activity activity;
  activity.kind = static_cast<OperationKind>(first & 0xffU);
  activity.type = static_cast<DataType>(first >> 8U & 0xffU);
  activity.reduction = static_cast<ReduceOp::Kind>(first >> 16U & 0xffU);
  activity.has_data = (first >> 24U & 1U) != 0;
  activity.peer = static_cast<std::int32_t>(first >> 32U);
  activity.source = static_cast<std::int32_t>(second & 0xffffffffU);
  activity.group = static_cast<std::uint32_t>(second >> 32U);
  activity.count = count;
  return activity;
}

std::string describe(const Operation& operation) {
  return describe(activity_of(operation));
}

std::string describe(const Activity& activity) {
  if (activity.group == no_group)
    return activity.has_data ? text("window of ", activity.count, " bytes") : "split";
  std::string words(to_string(activity.kind));
  if (activity.has_data) words += text(" of ", activity.count, ' ', to_string(activity.type));
  switch (activity.kind) {
    case OperationKind::all_reduce:
    case OperationKind::reduce_scatter:
    case OperationKind::scan:
    case OperationKind::exclusive_scan:
      words += text(", ", to_string(activity.reduction));
      break;
    case OperationKind::reduce:
      words += text(", ", to_string(activity.reduction), ", to root ", activity.peer);
      break;
    case OperationKind::broadcast:
    case OperationKind::scatter:
      words += text(" from root ", activity.peer);
      break;
    case OperationKind::gather:
      words += text(" to root ", activity.peer);
      break;
    case OperationKind::send:
      words += text(" to rank ", activity.peer);
      break;
    case OperationKind::recv:
      words += text(" from rank ", activity.peer);
      break;
    case OperationKind::send_recv:
      words += text(" to rank ", activity.peer, ", from rank ", activity.source);
      break;
    case OperationKind::all_gather:
    case OperationKind::all_to_all:
    case OperationKind::barrier:
      break;
  }
  if (activity.group > 1) words += text(" and ", activity.group - 1, " more in its group");
  return words;
}

}  // namespace tutti
