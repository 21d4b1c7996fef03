#include "mpi/backend.hpp"

#include "mpi/builder.hpp"
#include "mpi/calls.hpp"
#include "mpi/one_call.hpp"
#include "mpi/task.hpp"

namespace tutti::mpi {

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
  // All ranks decide alike: MPI's blocking and non-blocking collectives do not match each other.
  if (operations.size() != 1 || deadline.set())
    return OperationTask(session_, operations).run(deadline);
  if (Step step; one_call(operations[0], *session_, step))
    return call(step, schedule_, session_->comm());
  schedule_.clear();
  Builder(operations[0], *session_, schedule_, Phases::any).build();
  execution_.run();
}

std::unique_ptr<Task> MpiBackend::prepare(OperationList operations) {
  return std::make_unique<OperationTask>(session_, operations);
}

void MpiBackend::enqueue(OperationList, cudaStream_t, Deadline) {
  throw Error(Errc::unsupported, "enqueue takes device memory; this is host memory");
}

}  // namespace tutti::mpi
