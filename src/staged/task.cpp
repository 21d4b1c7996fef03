#include "staged/task.hpp"

#include "cuda/runtime.hpp"

namespace tutti::staged {

namespace {
cuda::Event event_on(int device) {
  const cuda::DeviceGuard guard(device);
  return cuda::Event();
}
}  // namespace

StagedTask::StagedTask(StagedBackend& backend, OperationList operations)
    : backend_(backend), moved_(event_on(backend.device())) {
  const cuda::DeviceGuard guard(backend_.device());
  for (const Operation& operation : operations)
    stages_.push_back(
        std::make_unique<Stage>(operation, backend_.route(), backend_.rank(), backend_.size()));
}

StagedTask::~StagedTask() {
  if (phase_ == Phase::idle) return;
  // Broken half way: copies or messages may still be at work on this memory.
  for (auto& stage : stages_) static_cast<void>(stage.release());
}

void StagedTask::begin(Deadline deadline) {
  const cuda::DeviceGuard guard(backend_.device());
  const cuda::StreamHandle in = backend_.streams().in.handle();
  phase_ = Phase::inside;
  for (auto& stage : stages_) {
    stage->read_scalar(in);
    stage->copy_in(in);
  }
  moved_.record(in);
  backend_.wait([&] { return moved_.done(); }, deadline);
  operations_.clear();
  for (auto& stage : stages_) operations_.push_back(stage->inner());
  inner_ = backend_.inner().prepare(OperationList(operations_.data(), operations_.size()));
  inner_->start();
}

void StagedTask::leave() {
  const cuda::StreamHandle out = backend_.streams().out.handle();
  for (auto& stage : stages_) stage->copy_out(out);
  moved_.record(out);
  phase_ = Phase::leaving;
}

void StagedTask::run(Deadline deadline) {
  begin(deadline);
  if (!wait(deadline)) throw Error(Errc::timeout, "the deadline passed");
}

bool StagedTask::test() {
  if (phase_ == Phase::idle) return true;
  const cuda::DeviceGuard guard(backend_.device());
  if (phase_ == Phase::inside) {
    if (!inner_->test()) return false;
    leave();
  }
  if (!moved_.done()) return false;
  phase_ = Phase::idle;
  return true;
}

bool StagedTask::wait(Deadline deadline) {
  if (phase_ == Phase::idle) return true;
  const cuda::DeviceGuard guard(backend_.device());
  if (phase_ == Phase::inside) {
    if (!inner_->wait(deadline)) return false;
    leave();
  }
  // What is copied out is on its way: only the deadline is no failure here.
  try {
    backend_.wait([&] { return moved_.done(); }, deadline);
  } catch (const Error& error) {
    if (error.code() == Errc::timeout) return false;
    throw;
  }
  phase_ = Phase::idle;
  return true;
}

void StagedTask::enqueue(cudaStream_t stream, Deadline deadline) {
  backend_.order_after(stream);
  run(deadline);
}

bool StagedTask::join(cudaStream_t, Deadline deadline) {
  return wait(deadline);
}

}  // namespace tutti::staged
