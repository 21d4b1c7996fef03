#include "mpi/task.hpp"

#include "core/backoff.hpp"
#include "mpi/builder.hpp"

namespace tutti::mpi {

OperationTask::OperationTask(std::shared_ptr<Session> session, OperationList operations)
    : session_(std::move(session)) {
  for (const Operation& operation : operations) {
    schedules_.push_back(std::make_shared<Schedule>());
    Builder(operation, *session_, *schedules_.back(), Phases::one).build();
    executions_.emplace_back(session_->comm(), *schedules_.back());
  }
}

OperationTask::~OperationTask() {
  for (std::size_t i = 0; i < executions_.size(); ++i) {
    if (!executions_[i].under_way()) continue;
    session_->leave_under_way(executions_[i].give_up(), std::move(schedules_[i]));
  }
}

void OperationTask::require_done() const {
  if (begun_)
    throw Error(Errc::invalid_argument,
                "it is under way already: the Work of its last start is not done");
}

void OperationTask::run(Deadline deadline) {
  require_done();
  if (executions_.size() == 1 && !deadline.set()) return executions_.front().run();
  start();
  if (!wait(deadline))
    throw Error(Errc::timeout, "the deadline passed before the operation was done");
}

void OperationTask::start() {
  require_done();
  begun_ = true;
  for (Execution& execution : executions_) execution.start();
}

bool OperationTask::test() {
  session_->throw_if_aborted();
  bool all = true;
  for (Execution& execution : executions_) all = execution.advance() && all;
  if (!all) return false;
  begun_ = false;
  for (const Execution& execution : executions_) execution.throw_mismatch();
  return true;
}

bool OperationTask::wait(Deadline deadline) {
  for (Backoff backoff; !test(); backoff.pause()) {
    if (deadline.passed()) return false;
    if (deadline.set()) session_->serve();
  }
  return true;
}

void OperationTask::enqueue(cudaStream_t, Deadline) {
  throw Error(Errc::unsupported, "enqueue takes device memory; this is host memory");
}

bool OperationTask::join(cudaStream_t, Deadline deadline) {
  return wait(deadline);
}

}  // namespace tutti::mpi
