// Copies and fills.

#include <cstring>
#include <vector>

#include "core/memory.hpp"
#include "core/stream.hpp"
#include "cudart/call.hpp"

using namespace fake;

namespace {

bool is_pageable(const void* pointer) {
  return !find_block(pointer);
}

bool is_device(const void* pointer) {
  const auto block = find_block(pointer);
  return block && block->type != cudaMemoryTypeHost;
}

/** A known block must hold all of the range; unknown memory is the caller's pageable memory. */
bool within_block(const void* pointer, std::size_t bytes) {
  const auto block = find_block(pointer);
  return !block || block->holds(pointer, bytes);
}

cudaError_t check_copy(const void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  if (to == nullptr || from == nullptr) return cudaErrorInvalidValue;
  if (!within_block(to, bytes) || !within_block(from, bytes)) return cudaErrorInvalidValue;
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  if (to_device && is_pageable(to)) return cudaErrorInvalidValue;
  if (from_device && is_pageable(from)) return cudaErrorInvalidValue;
  if (kind == cudaMemcpyHostToHost && (is_device(to) || is_device(from))) {
    return cudaErrorInvalidValue;
  }
  return kind >= cudaMemcpyHostToHost && kind <= cudaMemcpyDefault
             ? cudaSuccess
             : cudaErrorInvalidMemcpyDirection;
}

Work copy_work(void* to, const void* from, std::size_t bytes) {
  return [=]() -> Task::Body { return [=] { std::memmove(to, from, bytes); }; };
}

/** The source is read now: what CUDA does with pageable memory, which it stages. */
Work staged_work(void* to, const void* from, std::size_t bytes) {
  const auto* first = static_cast<const char*>(from);
  auto staged = std::make_shared<std::vector<char>>(first, first + bytes);
  return [=]() -> Task::Body { return [=] { std::memcpy(to, staged->data(), bytes); }; };
}

bool capturing(const StreamPtr& stream) {
  const std::lock_guard lock(engine_mutex());
  return stream->capture != nullptr;
}

cudaError_t copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                 cudaStream_t handle) {
  cudaError_t error = ready();
  if (error != cudaSuccess || bytes == 0) return error;
  error = check_copy(to, from, bytes, kind);
  if (error != cudaSuccess) return error;
  const StreamPtr stream = find_stream(handle);
  if (!stream) return cudaErrorInvalidResourceHandle;
  const bool captured = capturing(stream);
  const bool stage = is_pageable(from) && is_device(to) && !captured;
  error = submit(stream, stage ? staged_work(to, from, bytes) : copy_work(to, from, bytes));
  if (error != cudaSuccess || captured) return error;
  const bool host_to_host = !is_device(to) && !is_device(from);
  return is_pageable(to) || host_to_host ? synchronize_stream(stream) : cudaSuccess;
}

cudaError_t fill(void* to, int value, std::size_t bytes, cudaStream_t handle) {
  cudaError_t error = ready();
  if (error != cudaSuccess || bytes == 0) return error;
  if (!device_may_touch(to, bytes)) return cudaErrorInvalidValue;
  const StreamPtr stream = find_stream(handle);
  if (!stream) return cudaErrorInvalidResourceHandle;
  return submit(stream, [=]() -> Task::Body { return [=] { std::memset(to, value, bytes); }; });
}

Arguments copy_arguments(void* to, const void* from, std::size_t bytes, int kind,
                         cudaStream_t stream) {
  return Arguments()("to", to)("from", from)("bytes", bytes)("kind", kind)("stream", stream);
}

}  // namespace

extern "C" {

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return cuda_call("cudaMemcpyAsync", copy_arguments(to, from, bytes, kind, stream),
                   [&] { return copy(to, from, bytes, kind, stream); });
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return cuda_call("cudaMemcpy", copy_arguments(to, from, bytes, kind, nullptr), [&] {
    const cudaError_t error = copy(to, from, bytes, kind, cudaStreamLegacy);
    // CUDA does not wait for copies inside device memory.
    if (error != cudaSuccess || (is_device(to) && is_device(from))) return error;
    return synchronize_stream(find_stream(cudaStreamLegacy));
  });
}

cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int, std::size_t bytes,
                                cudaStream_t stream) {
  const int kind = cudaMemcpyDeviceToDevice;
  return cuda_call("cudaMemcpyPeerAsync", copy_arguments(to, from, bytes, kind, stream),
                   [&] { return copy(to, from, bytes, cudaMemcpyDeviceToDevice, stream); });
}

cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
  return cuda_call("cudaMemsetAsync",
                   Arguments()("to", to)("value", value)("bytes", bytes)("stream", stream),
                   [&] { return fill(to, value, bytes, stream); });
}

cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
  return cuda_call("cudaMemset", Arguments()("to", to)("value", value)("bytes", bytes),
                   [&] { return fill(to, value, bytes, cudaStreamLegacy); });
}

}  // extern "C"
