#include "mpi/task.hpp"

#include <algorithm>

#include "mpi/builder.hpp"
#include "mpi/progress.hpp"
#include "core/backoff.hpp"

namespace tutti::mpi {

OperationTask::OperationTask(std::shared_ptr<Session> session, OperationList operations)
    : session_(std::move(session)) {
  for (const Operation& operation : operations) {
    schedules_.push_back(std::make_unique<Schedule>());
    Builder(operation, *session_, *schedules_.back()).build();
    executions_.emplace_back(session_->comm(), *schedules_.back());
  }
}

OperationTask::~OperationTask() { leave_progress(); }

void OperationTask::run(Deadline deadline) {
  if (executions_.size() == 1 && !deadline.set() && progress::idle() && !session_->interruptible())
    return executions_.front().run();
  start();
  if (!wait(deadline)) throw Error(Errc::timeout, "the deadline passed");
}

void OperationTask::start() {
  done_ = false;
  failure_ = nullptr;
  for (Execution& execution : executions_) execution.start();
  const auto only_waits = [](const Execution& e) { return e.only_waits(); };
  if (!std::all_of(executions_.begin(), executions_.end(), only_waits)) join_progress();
}

bool OperationTask::test() {
  session_->throw_if_aborted();
  if (!advance_alone()) return false;
  leave_progress();
  return true;
}

bool OperationTask::wait(Deadline deadline) {
  Backoff backoff;
  while (!test()) {
    if (deadline.passed()) return false;
    if (!progress::idle()) progress::advance_all();
    backoff.pause();
  }
  return true;
}

void OperationTask::enqueue(cudaStream_t, Deadline) {
  throw Error(Errc::unsupported, "enqueue takes device memory; this is host memory");
}

bool OperationTask::join(cudaStream_t, Deadline deadline) { return wait(deadline); }

// A wait on another thread may be advancing this task in passing.
bool OperationTask::advance_alone() {
  if (busy_.test_and_set(std::memory_order_acquire)) return false;
  struct Release {
    std::atomic_flag& flag;
    ~Release() { flag.clear(std::memory_order_release); }
  } const release{busy_};
  if (failure_) std::rethrow_exception(failure_);
  return advance();
}

void OperationTask::advance_in_passing() noexcept {
  if (busy_.test_and_set(std::memory_order_acquire)) return;
  try {
    if (!failure_) advance();
  } catch (...) {
    failure_ = std::current_exception();
  }
  busy_.clear(std::memory_order_release);
}

bool OperationTask::advance() {
  if (done_) return true;
  bool all = true;
  for (Execution& execution : executions_) all = execution.advance() && all;
  done_ = all;
  return all;
}

void OperationTask::join_progress() {
  if (in_progress_) return;
  progress::enter(*this);
  in_progress_ = true;
}

void OperationTask::leave_progress() noexcept {
  if (!in_progress_) return;
  progress::leave(*this);
  in_progress_ = false;
}

}  // namespace tutti::mpi
