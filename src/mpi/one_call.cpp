#include "mpi/one_call.hpp"

#include "core/reducible.hpp"
#include "mpi/wire.hpp"

namespace tutti::mpi {

namespace {

using Kind = ReduceOp::Kind;

// Reductions whose result does not depend on how MPI groups them.
bool is_exact(Kind kind, DataType type) noexcept {
  const bool floating =
      family_of(type) == TypeFamily::real || family_of(type) == TypeFamily::complex;
  return !floating || kind == Kind::min || kind == Kind::max;
}

// The first ranks of a scan get elements that nobody combined, so that no 0 or 1 came out of them.
bool leaves_elements_raw(const Operation& op) noexcept {
  const Kind kind = op.op.kind();
  const bool scans = op.kind == OperationKind::scan || op.kind == OperationKind::exclusive_scan;
  const bool logical =
      kind == Kind::logical_and || kind == Kind::logical_or || kind == Kind::logical_xor;
  return scans && (logical || op.send.type == DataType::boolean);
}

}  // namespace

bool combines(const Operation& op, const Session& session) noexcept {
  return combines_in_storage(op.op.kind(), op.send.type) && !leaves_elements_raw(op) &&
         (!session.options().deterministic || is_exact(op.op.kind(), op.send.type));
}

bool one_call(const Operation& op, const Session& session, Step& step) {
  const std::size_t max = session.options().max_count;
  if (session.size() == 1 || op.receive.count == 0 || op.receive.count > max) return false;
  const MemoryView& out = op.receive;
  step.out = out.data;
  step.wire = wire_type(size_of(out.type));
  if (op.kind == OperationKind::broadcast) {
    step.kind = StepKind::broadcast;
    step.count = static_cast<int>(out.count);
    step.peer = op.root;
    return true;
  }
  if (op.kind == OperationKind::all_reduce) {
    if (op.op.kind() == Kind::avg || !combines(op, session)) return false;
    step.kind = StepKind::all_reduce;
    step.in = op.send.data == out.data ? MPI_IN_PLACE : op.send.data;
    step.count = static_cast<int>(out.count);
    step.op = wire_op(op.op.kind(), out.type);
    return true;
  }
  if (op.kind == OperationKind::all_gather && !op.uneven) {
    const std::size_t own = static_cast<std::size_t>(session.rank()) * op.send.bytes();
    step.kind = StepKind::all_gather;
    step.in = op.send.data == static_cast<std::byte*>(out.data) + own ? MPI_IN_PLACE : op.send.data;
    step.count = static_cast<int>(op.send.count);
    return true;
  }
  return false;
}

}  // namespace tutti::mpi
