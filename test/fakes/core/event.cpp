#include "core/event.hpp"

#include "core/device.hpp"
#include "core/registry.hpp"
#include "core/stream.hpp"

namespace fake {
namespace {

Registry<Event>& events() {
  static auto* instance = new Registry<Event>;
  return *instance;
}

/** Error for an event that belongs to a capture: asking for its state spoils the capture. */
cudaError_t check_captured_locked(const Event& event) {
  if (!event.capture) return cudaSuccess;
  if (event.capture->ended) return cudaErrorInvalidValue;
  event.capture->invalid = true;
  return cudaErrorCapturedEvent;
}

}  // namespace

cudaError_t create_event(cudaEvent_t* handle, unsigned flags) {
  if (handle == nullptr) return cudaErrorInvalidValue;
  auto event = std::make_shared<Event>();
  event->device = current_device();
  event->flags = flags;
  *handle = static_cast<cudaEvent_t>(events().add(std::move(event)));
  return cudaSuccess;
}

cudaError_t destroy_event(cudaEvent_t handle) {
  return events().take(handle) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

cudaError_t record_event(cudaEvent_t handle, const StreamPtr& stream) {
  const auto event = events().find(handle);
  if (!event || !stream) return cudaErrorInvalidResourceHandle;
  const std::lock_guard lock(engine_mutex());
  if (event->device != stream->device()) return cudaErrorInvalidResourceHandle;
  if (stream->capture) {
    if (stream->capture->invalid) return cudaErrorStreamCaptureInvalidated;
    event->capture = stream->capture;
    event->capture_after = stream->capture_after;
    event->marker = nullptr;
    return cudaSuccess;
  }
  const cudaError_t error = check_implicit_locked(stream);
  if (error != cudaSuccess) return error;
  event->capture = nullptr;
  event->marker = push_locked(stream, nullptr, {});
  return cudaSuccess;
}

cudaError_t wait_event(const StreamPtr& stream, cudaEvent_t handle) {
  const auto event = events().find(handle);
  if (!event || !stream) return cudaErrorInvalidResourceHandle;
  const std::lock_guard lock(engine_mutex());
  if (event->capture) return join_capture_locked(stream, event->capture, event->capture_after);
  if (stream->capture) {
    // Work outside the capture cannot be waited for inside it.
    if (!event->marker) return cudaSuccess;
    stream->capture->invalid = true;
    return cudaErrorStreamCaptureIsolation;
  }
  const cudaError_t error = check_implicit_locked(stream);
  if (error != cudaSuccess) return error;
  if (event->marker) push_locked(stream, nullptr, {event->marker});
  return cudaSuccess;
}

cudaError_t query_event(cudaEvent_t handle) {
  const auto event = events().find(handle);
  if (!event) return cudaErrorInvalidResourceHandle;
  {
    const std::lock_guard lock(engine_mutex());
    const cudaError_t error = check_captured_locked(*event);
    if (error != cudaSuccess) return error;
  }
  const cudaError_t unsafe = check_unsafe_call();
  if (unsafe != cudaSuccess) return unsafe;
  const std::lock_guard lock(engine_mutex());
  return !event->marker || event->marker->done() ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t synchronize_event(cudaEvent_t handle) {
  const auto event = events().find(handle);
  if (!event) return cudaErrorInvalidResourceHandle;
  TaskPtr marker;
  {
    const std::lock_guard lock(engine_mutex());
    const cudaError_t error = check_captured_locked(*event);
    if (error != cudaSuccess) return error;
    marker = event->marker;
  }
  const cudaError_t unsafe = check_unsafe_call();
  if (unsafe != cudaSuccess) return unsafe;
  if (marker) marker->wait();
  return cudaSuccess;
}

cudaError_t elapsed_time(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  const auto first = events().find(start), second = events().find(end);
  if (milliseconds == nullptr) return cudaErrorInvalidValue;
  if (!first || !second) return cudaErrorInvalidResourceHandle;
  const std::lock_guard lock(engine_mutex());
  if (((first->flags | second->flags) & cudaEventDisableTiming) != 0 || !first->marker ||
      !second->marker) {
    return cudaErrorInvalidResourceHandle;
  }
  if (!first->marker->done() || !second->marker->done()) return cudaErrorNotReady;
  const std::chrono::duration<float, std::milli> span =
      second->marker->finished() - first->marker->finished();
  *milliseconds = span.count();
  return cudaSuccess;
}

}  // namespace fake
