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
      done_(event_on(engine.ordinal())),
      may_capture_(engine.can_capture(list())) {
  engine_.add_task(*this);
}

NcclTask::~NcclTask() {
  engine_.remove_task(*this);
  drop_graph();
}

void NcclTask::drop_graph() noexcept {
  may_capture_ = false;
  if (graph_ != nullptr) try {
      const cuda::DeviceGuard guard(engine_.ordinal());
      graph_.reset();
    } catch (const std::exception&) {
      static_cast<void>(graph_.release());  // the driver is gone, and has let go of it
    }
}

// Making a graph takes as long as many operations: what is done once needs none.
Load NcclTask::load() {
  if (used_ && may_capture_ && graph_ == nullptr) graph_ = engine_.capture(list());
  used_ = true;
  return {list(), graph_.get()};
}

void NcclTask::start() {
  engine_.begin(load(), done_);
}

// A graph cannot be launched on a stream that is being captured.
void NcclTask::enqueue(cudaStream_t stream, Deadline deadline) {
  const bool as_calls = may_capture_ && cuda::is_capturing(stream);
  engine_.enqueue(as_calls ? Load{list()} : load(), stream, deadline);
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
