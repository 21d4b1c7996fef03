// Streams, host functions and captures.

#include "core/stream.hpp"

#include "core/registry.hpp"
#include "cudart/call.hpp"
#include "cudart/graphs.hpp"

using namespace fake;

namespace {

cudaError_t create(cudaStream_t* handle, unsigned flags, int priority) {
  if (handle == nullptr || (flags & ~unsigned{cudaStreamNonBlocking}) != 0) {
    return cudaErrorInvalidValue;
  }
  const cudaError_t error = ready();
  if (error != cudaSuccess) return error;
  const auto stream = create_stream(Stream::Kind::created, current_device(), flags, priority);
  *handle = reinterpret_cast<cudaStream_t>(stream.get());
  return cudaSuccess;
}

/** Runs `body(stream)` for a handle that exists. */
template <typename Body>
cudaError_t on_stream(const char* function, cudaStream_t handle, Body&& body) {
  return cuda_call(function, Arguments()("stream", handle), [&] {
    const cudaError_t error = ready();
    if (error != cudaSuccess) return error;
    const StreamPtr stream = find_stream(handle);
    return stream ? body(stream) : cudaErrorInvalidResourceHandle;
  });
}

}  // namespace

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cuda_call("cudaStreamCreate", {}, [&] { return create(stream, cudaStreamDefault, 0); });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return cuda_call("cudaStreamCreateWithFlags", Arguments()("flags", flags),
                   [&] { return create(stream, flags, 0); });
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  return cuda_call("cudaStreamCreateWithPriority",
                   Arguments()("flags", flags)("priority", priority),
                   [&] { return create(stream, flags, priority); });
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return cuda_call("cudaStreamDestroy", Arguments()("stream", stream),
                   [&] { return destroy_stream(stream); });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return on_stream("cudaStreamQuery", stream, [](const StreamPtr& known) {
    const cudaError_t error = check_unsafe_call();
    return error == cudaSuccess ? query_stream(known) : error;
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return on_stream("cudaStreamSynchronize", stream, [](const StreamPtr& known) {
    const cudaError_t error = check_unsafe_call();
    return error == cudaSuccess ? synchronize_stream(known) : error;
  });
}

cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned* flags) {
  return on_stream("cudaStreamGetFlags", handle, [&](const StreamPtr& stream) {
    *flags = stream->flags();
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetPriority(cudaStream_t handle, int* priority) {
  return on_stream("cudaStreamGetPriority", handle, [&](const StreamPtr& stream) {
    *priority = stream->priority();
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetId(cudaStream_t handle, unsigned long long* id) {
  return on_stream("cudaStreamGetId", handle, [&](const StreamPtr& stream) {
    *id = stream->id();
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetDevice(cudaStream_t handle, int* device) {
  return on_stream("cudaStreamGetDevice", handle, [&](const StreamPtr& stream) {
    *device = stream->device();
    return cudaSuccess;
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function, void* data) {
  return on_stream("cudaLaunchHostFunc", handle, [&](const StreamPtr& stream) {
    if (function == nullptr) return cudaErrorInvalidValue;
    return submit(stream, [=]() -> Task::Body {
      return [=] {
        const InsideHostFunction inside;
        function(data);
      };
    });
  });
}

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode mode) {
  return on_stream("cudaStreamBeginCapture", handle,
                   [&](const StreamPtr& stream) { return begin_capture(stream, mode); });
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph) {
  return on_stream("cudaStreamEndCapture", handle, [&](const StreamPtr& stream) {
    if (graph == nullptr) return cudaErrorInvalidValue;
    *graph = nullptr;
    std::shared_ptr<Graph> captured;
    const cudaError_t error = end_capture(stream, &captured);
    if (error == cudaSuccess) *graph = static_cast<cudaGraph_t>(graphs().add(captured));
    return error;
  });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
  return on_stream("cudaStreamIsCapturing", handle, [&](const StreamPtr& stream) {
    return status == nullptr ? cudaErrorInvalidValue : capture_status(stream, status, nullptr);
  });
}

}  // extern "C"
