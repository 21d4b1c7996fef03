#include "mpi/builder.hpp"

#include <algorithm>

#include "core/fold.hpp"
#include "mpi/one_call.hpp"
#include "mpi/wire.hpp"

namespace tutti::mpi {

std::string_view to_string(Algorithm algorithm) noexcept {
  switch (algorithm) {
    case Algorithm::none:
      return "local";
    case Algorithm::collective:
      return "MPI collective";
    case Algorithm::messages:
      return "messages";
    case Algorithm::gather_fold:
      return "gather and fold in rank order";
    case Algorithm::slice_fold:
      return "fold slices in rank order";
  }
  __builtin_unreachable();
}

Builder::Builder(const Operation& operation, Session& session, Schedule& schedule, Phases phases)
    : op_(operation),
      session_(session),
      schedule_(schedule),
      phases_(phases),
      rank_(session.rank()),
      size_(session.size()),
      n_(static_cast<std::size_t>(size_)),
      type_(op_.send.given ? op_.send.type : op_.receive.type),
      element_(size_of(type_)),
      max_(session.options().max_count),
      wire_(wire_type(element_)) {}

// Equal counts of zero are zero on all ranks: nobody waits for anybody, and MPI never sees the null
// pointers that some of its collectives refuse.
bool Builder::moves_nothing() const noexcept {
  switch (op_.kind) {
    case OperationKind::all_reduce:
    case OperationKind::reduce:
    case OperationKind::scan:
    case OperationKind::exclusive_scan:
      return op_.send.count == 0;
    case OperationKind::broadcast:
      return op_.receive.count == 0;
    case OperationKind::all_gather:
    case OperationKind::gather:
      return !op_.uneven && op_.send.count == 0;
    case OperationKind::reduce_scatter:
    case OperationKind::scatter:
      return !op_.uneven && op_.receive.count == 0;
    case OperationKind::all_to_all:
      return !op_.uneven && op_.send.count == 0;
    case OperationKind::send:
    case OperationKind::recv:
    case OperationKind::send_recv:
    case OperationKind::barrier:
      return false;
  }
  __builtin_unreachable();
}

void Builder::build() {
  if (moves_nothing()) return;
  const bool one_step = phases_ == Phases::any || op_.kind != OperationKind::all_reduce;
  if (Step step; one_step && one_call(op_, session_, step)) {
    schedule_.steps.push_back(step);
    return;
  }
  const Algorithm algorithm = algorithm_for(op_, session_, phases_);
  if (algorithm == Algorithm::none) return self_only();
  if (algorithm == Algorithm::gather_fold) return gather_fold();
  if (algorithm == Algorithm::slice_fold) return slice_fold();
  switch (op_.kind) {
    case OperationKind::all_reduce:
    case OperationKind::reduce:
    case OperationKind::scan:
    case OperationKind::exclusive_scan:
      return combine();
    case OperationKind::reduce_scatter:
      return op_.uneven ? combine_scatter_uneven() : combine_scatter();
    case OperationKind::broadcast:
      return broadcast();
    case OperationKind::all_gather:
      return all_gather(algorithm);
    case OperationKind::gather:
      return gather(algorithm);
    case OperationKind::scatter:
      return scatter(algorithm);
    case OperationKind::all_to_all:
      return all_to_all(algorithm);
    case OperationKind::send:
    case OperationKind::recv:
    case OperationKind::send_recv:
      return point_to_point();
    case OperationKind::barrier:
      return barrier();
  }
  __builtin_unreachable();
}

// One rank alone: whatever the operation, `in` becomes `out`, reduced with nothing.
void Builder::self_only() {
  const bool keeps_out =
      op_.kind == OperationKind::exclusive_scan || op_.kind == OperationKind::broadcast;
  if (keeps_out || op_.receive.count == 0) return;
  const std::size_t from = op_.uneven ? send_layout().offset(0) : 0;
  const std::size_t to = op_.uneven ? receive_layout().offset(0) : 0;
  const std::size_t count = op_.uneven ? receive_layout().count(0) : op_.receive.count;
  const bool reduces = op_.kind == OperationKind::all_reduce || op_.kind == OperationKind::reduce ||
                       op_.kind == OperationKind::reduce_scatter || op_.kind == OperationKind::scan;
  if (!reduces) return copy(in(from), out(to), count);
  const std::size_t first = fold(1, count);
  schedule_.arrays[first] = in(from);
  schedule_.outs[first] = out(to);
}

void Builder::barrier() {
  schedule_.steps.emplace_back().kind = StepKind::barrier;
}

void Builder::point_to_point() {
  tag_ = op_.tag;
  if (op_.kind == OperationKind::send_recv && in_place() && op_.send.count != 0) {
    std::byte* const outgoing = scratch(op_.send.count);
    copy(in(0), outgoing, op_.send.count);
    receive(out(0), op_.receive.count, op_.from);
    send(outgoing, op_.send.count, op_.to);
    return;
  }
  if (op_.kind != OperationKind::send) receive(out(0), op_.receive.count, op_.from);
  if (op_.kind != OperationKind::recv) send(in(0), op_.send.count, op_.to);
}

void Builder::collective(StepKind kind, const void* in, void* out, std::size_t count, int root) {
  Step& step = schedule_.steps.emplace_back();
  step.kind = kind;
  step.in = in;
  step.out = out;
  step.count = static_cast<int>(count);
  step.peer = root;
  step.wire = wire_;
}

void Builder::send(const void* data, std::size_t count, int peer) {
  Step message;
  message.kind = StepKind::send;
  message.in = data;
  add_message(message, count, peer);
}

void Builder::receive(void* data, std::size_t count, int peer) {
  Step message;
  message.kind = StepKind::receive;
  message.out = data;
  add_message(message, count, peer);
}

void Builder::add_message(Step& message, std::size_t count, int peer) {
  message.peer = peer;
  message.tag = tag();
  message.wire = wire_;
  schedule_.add_message(message, count, element_, max_);
}

void Builder::copy(const void* in, void* out, std::size_t count) {
  if (in == out || count == 0) return;
  Step& step = schedule_.steps.emplace_back();
  step.kind = StepKind::copy;
  step.in = in;
  step.out = out;
  step.length = count * element_;
}

void Builder::divide(void* data, std::size_t count) {
  Step& step = schedule_.steps.emplace_back();
  step.kind = StepKind::divide;
  step.type = type_;
  step.out = data;
  step.length = count;
  step.arrays = n_;
}

std::size_t Builder::fold(std::size_t n_arrays, std::size_t count) {
  Step& step = schedule_.steps.emplace_back();
  step.kind = StepKind::fold;
  step.type = type_;
  step.first = schedule_.arrays.size();
  step.length = count;
  step.arrays = n_arrays;
  schedule_.reduction = op_.op;
  schedule_.arrays.resize(step.first + n_arrays, nullptr);
  schedule_.outs.resize(step.first + n_arrays, nullptr);
  return step.first;
}

int Builder::tag() {
  if (tag_ < 0) tag_ = session_.next_tag();
  return tag_;
}

BlockLayout Builder::send_layout() const {
  if (op_.send_blocks.given()) return BlockLayout(op_.send_blocks);
  return BlockLayout(op_.send.count / n_);
}

BlockLayout Builder::receive_layout() const {
  if (op_.receive_blocks.given()) return BlockLayout(op_.receive_blocks);
  return BlockLayout(op_.receive.count / n_);
}

}  // namespace tutti::mpi
