#include "nccl/task.hpp"

namespace tutti::nccl {

namespace {
cuda::Event event_on(int device) {
  const cuda::DeviceGuard guard(device);
  return cuda::Event();
}
}  // namespace

NcclTask::NcclTask(Engine& engine, OperationList operations)
    : engine_(engine),
      operations_(operations.begin(), operations.end()),
      done_(event_on(engine.ordinal())) {}

void NcclTask::start() {
  engine_.begin(list(), done_);
}

bool NcclTask::test() {
  const cuda::DeviceGuard guard(engine_.ordinal());
  bool done = false;
  // One look at the event, and at what else may have happened.
  engine_.wait([&] { return done = done_.done(); }, Deadline(Deadline::Clock::time_point::min()));
  return done;
}

bool NcclTask::wait(Deadline deadline) {
  const cuda::DeviceGuard guard(engine_.ordinal());
  return engine_.wait([&] { return done_.done(); }, deadline);
}

bool NcclTask::join(cudaStream_t stream, Deadline) {
  const cuda::DeviceGuard guard(engine_.ordinal());
  done_.order(stream);
  return true;
}

}  // namespace tutti::nccl
