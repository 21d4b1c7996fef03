#include "mpi/backend.hpp"

#include <algorithm>

#include "core/activity.hpp"
#include "core/backoff.hpp"
#include "mpi/builder.hpp"
#include "mpi/calls.hpp"
#include "mpi/messages.hpp"
#include "mpi/one_call.hpp"
#include "mpi/task.hpp"

namespace tutti::mpi {

namespace {

/// Nothing but messages that all can be under way together. In place, one begins with a copy, for
/// which a schedule of several would wait in between.
bool are_messages(OperationList operations) noexcept {
  if (operations.size() == 1) return !is_collective(operations[0].kind);
  return std::all_of(operations.begin(), operations.end(), [](const Operation& op) {
    const bool copies = op.kind == OperationKind::send_recv && op.send.data == op.receive.data;
    return !is_collective(op.kind) && !copies;
  });
}

}  // namespace

MpiBackend::MpiBackend(std::shared_ptr<Session> session)
    : session_(std::move(session)), execution_(session_->comm(), schedule_) {
  schedule_.steps.reserve(16);
}

Support MpiBackend::supports(const Operation& operation) const {
  const MemoryView& data = operation.send.given ? operation.send : operation.receive;
  if (data.kind == MemoryKind::device)
    return {false, "MPI is given host memory only, never a device pointer"};
  if (operation.op.device_scalar() != nullptr &&
      operation.op.kind() == ReduceOp::Kind::pre_multiplied)
    return {false, "the scalar of pre_multiplied lies in device memory"};
  return {};
}

std::string MpiBackend::algorithm(const Operation& operation) const {
  return std::string(to_string(algorithm_for(operation, *session_, Phases::any)));
}

void MpiBackend::run(OperationList operations, Deadline deadline) {
  if (are_messages(operations)) return run_messages(operations, deadline);
  // All ranks decide alike: MPI's blocking and non-blocking collectives do not match each other.
  if (operations.size() != 1 || deadline.set())
    return OperationTask(session_, operations).run(deadline);
  if (Step step; one_call(operations[0], *session_, step))
    return call(step, schedule_, session_->comm());
  schedule_.clear();
  Builder(operations[0], *session_, schedule_, Phases::any).build();
  execution_.run();
}

// Messages match whatever they are sent by, so that each rank may decide by itself.
void MpiBackend::run_messages(OperationList operations, Deadline deadline) {
  const bool alone = operations.size() == 1 && !deadline.set();
  if (alone && run_message(operations[0], *session_)) return;
  schedule_.clear();
  for (const Operation& operation : operations)
    Builder(operation, *session_, schedule_, Phases::any).build();
  try {
    if (deadline.set())
      run_until(deadline);
    else
      execution_.run();
  } catch (const Error&) {
    if (execution_.under_way())
      session_->leave_under_way(execution_.give_up(),
                                std::make_shared<Schedule>(std::move(schedule_)));
    throw;
  }
}

void MpiBackend::run_until(Deadline deadline) {
  execution_.start();
  for (Backoff backoff; !execution_.advance(); backoff.pause()) {
    session_->throw_if_aborted();
    if (deadline.passed())
      throw Error(Errc::timeout, "the deadline passed before the operation was done");
    session_->serve();
  }
  execution_.throw_mismatch();
}

std::unique_ptr<Task> MpiBackend::prepare(OperationList operations) {
  return std::make_unique<OperationTask>(session_, operations);
}

void MpiBackend::enqueue(OperationList, cudaStream_t, Deadline) {
  throw Error(Errc::unsupported, "enqueue takes device memory; this is host memory");
}

}  // namespace tutti::mpi
