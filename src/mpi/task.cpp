#include "mpi/task.hpp"

#include "core/backoff.hpp"
#include "mpi/builder.hpp"

namespace tutti::mpi {

OperationTask::OperationTask(std::shared_ptr<Session> session, OperationList operations)
    : session_(std::move(session)) {
  for (const Operation& operation : operations) {
    schedules_.push_back(std::make_unique<Schedule>());
    Builder(operation, *session_, *schedules_.back(), Phases::one).build();
    executions_.emplace_back(session_->comm(), *schedules_.back());
  }
}

// A task that was given up, after a deadline or an abort: MPI cannot be told to forget a collective,
// and may read and write the schedule's memory whenever the other ranks come after all.
OperationTask::~OperationTask() {
  for (std::size_t i = 0; i < executions_.size(); ++i)
    if (!executions_[i].idle()) static_cast<void>(schedules_[i].release());
}

void OperationTask::run(Deadline deadline) {
  if (executions_.size() == 1 && !deadline.set()) return executions_.front().run();
  start();
  if (!wait(deadline)) throw Error(Errc::timeout, "the deadline passed before the operation was done");
}

void OperationTask::start() {
  for (Execution& execution : executions_) execution.start();
}

bool OperationTask::test() {
  session_->throw_if_aborted();
  bool all = true;
  for (Execution& execution : executions_) all = execution.advance() && all;
  return all;
}

bool OperationTask::wait(Deadline deadline) {
  for (Backoff backoff; !test(); backoff.pause())
    if (deadline.passed()) return false;
  return true;
}

void OperationTask::enqueue(cudaStream_t, Deadline) {
  throw Error(Errc::unsupported, "enqueue takes device memory; this is host memory");
}

bool OperationTask::join(cudaStream_t, Deadline deadline) { return wait(deadline); }

}  // namespace tutti::mpi
