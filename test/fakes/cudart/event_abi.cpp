// Events.

#include "core/event.hpp"

#include "core/stream.hpp"
#include "cudart/call.hpp"

using namespace fake;

namespace {

cudaError_t create(cudaEvent_t* event, unsigned flags) {
  const cudaError_t error = ready();
  return error == cudaSuccess ? create_event(event, flags) : error;
}

Arguments event_arguments(cudaEvent_t event) {
  return Arguments()("event", event);
}

}  // namespace

extern "C" {

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cuda_call("cudaEventCreate", {}, [&] { return create(event, cudaEventDefault); });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return cuda_call("cudaEventCreateWithFlags", Arguments()("flags", flags),
                   [&] { return create(event, flags); });
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return cuda_call("cudaEventDestroy", event_arguments(event),
                   [&] { return destroy_event(event); });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return cuda_call("cudaEventRecord", event_arguments(event)("stream", stream),
                   [&] { return record_event(event, find_stream(stream)); });
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  return cuda_call("cudaEventRecordWithFlags",
                   event_arguments(event)("stream", stream)("flags", flags),
                   [&] { return record_event(event, find_stream(stream)); });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  return cuda_call("cudaStreamWaitEvent", event_arguments(event)("stream", stream)("flags", flags),
                   [&] { return wait_event(find_stream(stream), event); });
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return cuda_call("cudaEventQuery", event_arguments(event), [&] { return query_event(event); });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return cuda_call("cudaEventSynchronize", event_arguments(event),
                   [&] { return synchronize_event(event); });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return cuda_call("cudaEventElapsedTime", event_arguments(start),
                   [&] { return elapsed_time(milliseconds, start, end); });
}

}  // extern "C"
