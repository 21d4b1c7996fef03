#include "mpi/execution.hpp"

#include <cstring>

#include "core/fold.hpp"
#include "mpi/calls.hpp"
#include "mpi/messages.hpp"
#include "tutti/error.hpp"

namespace tutti::mpi {

void Execution::run() {
  next_ = 0;
  mismatch_.reset();
  finish();
}

void Execution::finish() {
  for (; next_ < schedule_->steps.size(); ++next_) {
    const Step& step = schedule_->steps[next_];
    if (is_message(step.kind)) {
      if (!exchange_here()) post_message(step);
    } else if (is_local(step.kind)) {
      await_requests();
      compute(step);
    } else {
      call(step, *schedule_, comm_);
    }
  }
  await_requests();
  throw_mismatch();
}

// Not beside anything else that is under way, nor before a collective: another rank may come to
// what is blocking here after that.
bool Execution::exchange_here() {
  const std::vector<Step>& steps = schedule_->steps;
  const Step* messages[2] = {nullptr, nullptr};
  std::size_t end = next_;
  for (; end < steps.size() && is_message(steps[end].kind); ++end) {
    const Step*& place = messages[steps[end].kind == StepKind::send ? 0 : 1];
    if (place != nullptr) return false;
    place = &steps[end];
  }
  if (!requests_.empty() || (end < steps.size() && !is_local(steps[end].kind))) return false;
  note(exchange(messages[0], messages[1], comm_));
  next_ = end - 1;
  return true;
}

void Execution::note(const std::optional<Error>& mismatch) {
  if (mismatch && !mismatch_) mismatch_.emplace(*mismatch);
}

void Execution::throw_mismatch() const {
  if (mismatch_) [[unlikely]]
    throw Error(*mismatch_);
}

void Execution::start() {
  next_ = 0;
  mismatch_.reset();
  // Copies that save the data which an in-place operation overwrites come before any message.
  while (next_ < schedule_->steps.size() && is_local(schedule_->steps[next_].kind))
    compute(schedule_->steps[next_++]);
  post_until_local();
}

bool Execution::advance() {
  if (!finish_requests()) return false;
  while (next_ < schedule_->steps.size()) {
    compute(schedule_->steps[next_++]);
    if (next_ < schedule_->steps.size() && is_local(schedule_->steps[next_].kind)) continue;
    post_until_local();
    if (!finish_requests()) return false;
  }
  return true;
}

void Execution::post_until_local() {
  for (; next_ < schedule_->steps.size(); ++next_) {
    const Step& step = schedule_->steps[next_];
    if (is_local(step.kind)) return;
    if (is_message(step.kind)) {
      post_message(step);
    } else {
      requests_.push_back(begin(step, *schedule_, comm_));
      posted_.push_back(&step);
    }
  }
}

void Execution::post_message(const Step& step) {
  requests_.push_back(begin(step, *schedule_, comm_));
  posted_.push_back(&step);
}

bool Execution::finish_requests() {
  if (requests_.empty()) return true;
  const int count = static_cast<int>(requests_.size());
  statuses_.resize(requests_.size());
  int done = 0;
  const int code = MPI_Testall(count, requests_.data(), &done, statuses_.data());
  if (code != MPI_SUCCESS) check_all(code, "MPI_Testall");
  if (done == 0) return false;
  for (std::size_t i = 0; i < requests_.size(); ++i) check_received(i, statuses_[i]);
  requests_.clear();
  posted_.clear();
  return true;
}

void Execution::await_requests() {
  if (requests_.empty()) return;
  statuses_.resize(requests_.size());
  const int code =
      MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), statuses_.data());
  if (code != MPI_SUCCESS) check_all(code, "MPI_Waitall");
  for (std::size_t i = 0; i < requests_.size(); ++i) check_received(i, statuses_[i]);
  requests_.clear();
  posted_.clear();
}

// MPI_ERR_IN_STATUS says only that some request failed; its status says how.
void Execution::check_all(int code, const char* name) const {
  if (code == MPI_ERR_IN_STATUS)
    for (const MPI_Status& status : statuses_)
      if (status.MPI_ERROR != MPI_SUCCESS && status.MPI_ERROR != MPI_ERR_PENDING)
        check(status.MPI_ERROR, name);
  check(code, name);
}

void Execution::check_received(std::size_t request, const MPI_Status& status) {
  const Step& step = *posted_[request];
  if (step.kind == StepKind::receive) note(mismatch_of(step, status));
}

void Execution::compute(const Step& step) {
  switch (step.kind) {
    case StepKind::copy:
      std::memcpy(step.out, step.in, step.length);
      return;
    case StepKind::fold:
      fold(schedule_->reduction, step.type, &schedule_->arrays[step.first],
           &schedule_->outs[step.first], step.arrays, step.length,
           stores_for(step.length * size_of(step.type)));
      return;
    case StepKind::divide:
      divide_by(step.arrays, step.type, step.out, step.length);
      return;
    case StepKind::broadcast:
    case StepKind::all_reduce:
    case StepKind::reduce:
    case StepKind::reduce_scatter:
    case StepKind::reduce_scatter_uneven:
    case StepKind::all_gather:
    case StepKind::all_gather_uneven:
    case StepKind::gather:
    case StepKind::scatter:
    case StepKind::all_to_all:
    case StepKind::scan:
    case StepKind::exclusive_scan:
    case StepKind::barrier:
    case StepKind::send:
    case StepKind::receive:
      break;
  }
  __builtin_unreachable();
}

}  // namespace tutti::mpi
