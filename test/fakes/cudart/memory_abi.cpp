// Allocation, registration and pointer attributes.

#include "core/memory.hpp"

#include "core/capture.hpp"
#include "core/stream.hpp"
#include "cudart/call.hpp"

using namespace fake;

namespace {

/** Allocations are forbidden under capture; CUDA fails them and spoils the capture. */
cudaError_t allocate_checked(void** pointer, std::size_t bytes, cudaMemoryType type) {
  cudaError_t error = ready();
  if (error == cudaSuccess) error = check_unsafe_call();
  return error == cudaSuccess ? allocate(pointer, bytes, type, current_device()) : error;
}

/** Like CUDA's, waits for the device's work, which may still use the memory. */
cudaError_t release_checked(void* pointer, cudaMemoryType type) {
  cudaError_t error = ready();
  if (error != cudaSuccess || pointer == nullptr) return error;
  error = check_unsafe_call();
  if (error != cudaSuccess) return error;
  const auto block = find_block(pointer);
  if (!block) return cudaErrorInvalidValue;
  error = synchronize_device(block->device);
  return error == cudaSuccess ? release(pointer, type) : error;
}

void fill_attributes(cudaPointerAttributes* attributes, const void* pointer) {
  const auto block = find_block(pointer);
  *attributes = {};
  attributes->type = block ? block->type : cudaMemoryTypeUnregistered;
  attributes->device = block ? block->device : cudaInvalidDeviceId;
  void* address = const_cast<void*>(pointer);
  attributes->devicePointer = block ? address : nullptr;
  const bool host = !block || block->type != cudaMemoryTypeDevice;
  attributes->hostPointer = host ? address : nullptr;
}

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
  return cuda_call("cudaMalloc", Arguments()("bytes", bytes),
                   [&] { return allocate_checked(pointer, bytes, cudaMemoryTypeDevice); });
}

cudaError_t cudaFree(void* pointer) {
  return cuda_call("cudaFree", Arguments()("pointer", pointer),
                   [&] { return release_checked(pointer, cudaMemoryTypeDevice); });
}

cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
  return cuda_call("cudaHostAlloc", Arguments()("bytes", bytes)("flags", flags),
                   [&] { return allocate_checked(pointer, bytes, cudaMemoryTypeHost); });
}

cudaError_t cudaMallocHost(void** pointer, std::size_t bytes) {
  return cuda_call("cudaMallocHost", Arguments()("bytes", bytes),
                   [&] { return allocate_checked(pointer, bytes, cudaMemoryTypeHost); });
}

cudaError_t cudaFreeHost(void* pointer) {
  return cuda_call("cudaFreeHost", Arguments()("pointer", pointer),
                   [&] { return release_checked(pointer, cudaMemoryTypeHost); });
}

cudaError_t cudaMallocManaged(void** pointer, std::size_t bytes, unsigned flags) {
  return cuda_call("cudaMallocManaged", Arguments()("bytes", bytes)("flags", flags),
                   [&] { return allocate_checked(pointer, bytes, cudaMemoryTypeManaged); });
}

cudaError_t cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t handle) {
  return cuda_call("cudaMallocAsync", Arguments()("bytes", bytes)("stream", handle), [&] {
    const StreamPtr stream = find_stream(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    const cudaError_t error = capture_status(stream, &status, nullptr);
    if (error != cudaSuccess) return error;
    if (status != cudaStreamCaptureStatusNone) return cudaErrorStreamCaptureUnsupported;
    return allocate(pointer, bytes, cudaMemoryTypeDevice, stream->device());
  });
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t handle) {
  return cuda_call("cudaFreeAsync", Arguments()("pointer", pointer)("stream", handle), [&] {
    const StreamPtr stream = find_stream(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (!find_block(pointer)) return cudaErrorInvalidValue;
    return submit(stream, [pointer]() -> Task::Body {
      return [pointer] { release(pointer, cudaMemoryTypeDevice); };
    });
  });
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  return cuda_call("cudaMemGetInfo", {}, [&] {
    if (free == nullptr || total == nullptr) return cudaErrorInvalidValue;
    const cudaError_t error = ready();
    if (error == cudaSuccess) memory_info(current_device(), free, total);
    return error;
  });
}

cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned flags) {
  return cuda_call("cudaHostRegister",
                   Arguments()("pointer", pointer)("bytes", bytes)("flags", flags), [&] {
                     cudaError_t error = ready();
                     if (error == cudaSuccess) error = check_unsafe_call();
                     if (error != cudaSuccess) return error;
                     return register_host(pointer, bytes, current_device());
                   });
}

cudaError_t cudaHostUnregister(void* pointer) {
  return cuda_call("cudaHostUnregister", Arguments()("pointer", pointer),
                   [&] { return unregister_host(pointer); });
}

cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  return cuda_call("cudaHostGetDevicePointer", Arguments()("pointer", host), [&] {
    if (device == nullptr || !find_block(host)) return cudaErrorInvalidValue;
    *device = host;
    return cudaSuccess;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  return cuda_call("cudaPointerGetAttributes", Arguments()("pointer", pointer), [&] {
    if (attributes == nullptr) return cudaErrorInvalidValue;
    const cudaError_t error = ready();
    if (error == cudaSuccess) fill_attributes(attributes, pointer);
    return error;
  });
}

}  // extern "C"
