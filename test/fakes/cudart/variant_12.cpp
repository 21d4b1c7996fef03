// What only libcudart.so.12 has. Its functions share names with the 13 headers' but not their
// types, so they are defined under other names and exported by assembler name.

#include <cstring>

#include "core/hide_symbols.hpp"
#include "core/memory.hpp"
#include "core/stream.hpp"
#include "cudart/call.hpp"
#include "cudart/variant.hpp"

using namespace fake;

namespace fake {
int runtime_version() {
  return 12080;
}
}  // namespace fake

namespace {

/** Leading members of CUDA 12's cudaDeviceProp; what follows is left as the caller had it. */
struct Properties12 {
  char name[256];
  unsigned char uuid[16];
  char luid[8];
  unsigned luid_device_node_mask;
  std::size_t total_global_mem;
  std::size_t shared_mem_per_block;
  int regs_per_block;
  int warp_size;
  std::size_t mem_pitch;
  int max_threads_per_block;
  int max_threads_dim[3];
  int max_grid_size[3];
  int clock_rate;
  std::size_t total_const_mem;
  int major;
  int minor;
};

void fill(Properties12* properties, int device) {
  *properties = {};
  write_device_name(properties->name, sizeof properties->name, device);
  const Uuid uuid = device_uuid(device);
  std::memcpy(properties->uuid, uuid.data(), uuid.size());
  std::size_t free = 0;
  memory_info(device, &free, &properties->total_global_mem);
  properties->warp_size = 32;
  properties->max_threads_per_block = 1024;
  properties->major = device_attribute(cudaDevAttrComputeCapabilityMajor, device);
  properties->minor = device_attribute(cudaDevAttrComputeCapabilityMinor, device);
}

/// Its callers know the type by the name that every major gives it.
cudaError_t properties(const char* function, cudaDeviceProp* properties, int device) {
  return cuda_call(function, Arguments()("of", device), [&] {
    if (properties == nullptr) return cudaErrorInvalidValue;
    if (!valid_device(device)) return cudaErrorInvalidDevice;
    fill(reinterpret_cast<Properties12*>(properties), device);
    return cudaSuccess;
  });
}

cudaError_t capture_info(const char* function, cudaStream_t handle, cudaStreamCaptureStatus* status,
                         unsigned long long* id) {
  return cuda_call(function, Arguments()("stream", handle), [&] {
    const StreamPtr stream = find_stream(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    return status == nullptr ? cudaErrorInvalidValue : capture_status(stream, status, id);
  });
}

[[gnu::constructor]] void hide_missing() {
  hide_symbols([](std::string_view name) {
    return Script::get().find("missing", name, process_rank()) != nullptr;
  });
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

cudaError_t properties_v1(cudaDeviceProp*, int) __asm__("cudaGetDeviceProperties");
cudaError_t properties_v2(cudaDeviceProp*, int) __asm__("cudaGetDeviceProperties_v2");
cudaError_t capture_info_v1(cudaStream_t, cudaStreamCaptureStatus*,
                            unsigned long long*) __asm__("cudaStreamGetCaptureInfo");
cudaError_t capture_info_v2(cudaStream_t, cudaStreamCaptureStatus*, unsigned long long*,
                            cudaGraph_t*, const cudaGraphNode_t**,
                            std::size_t*) __asm__("cudaStreamGetCaptureInfo_v2");

cudaError_t properties_v1(cudaDeviceProp* out, int device) {
  return properties("cudaGetDeviceProperties", out, device);
}

cudaError_t properties_v2(cudaDeviceProp* out, int device) {
  return properties("cudaGetDeviceProperties_v2", out, device);
}

cudaError_t capture_info_v1(cudaStream_t stream, cudaStreamCaptureStatus* status,
                            unsigned long long* id) {
  return capture_info("cudaStreamGetCaptureInfo", stream, status, id);
}

cudaError_t capture_info_v2(cudaStream_t stream, cudaStreamCaptureStatus* status,
                            unsigned long long* id, cudaGraph_t* graph,
                            const cudaGraphNode_t** dependencies, std::size_t* count) {
  if (graph != nullptr) *graph = nullptr;
  if (dependencies != nullptr) *dependencies = nullptr;
  if (count != nullptr) *count = 0;
  return capture_info("cudaStreamGetCaptureInfo_v2", stream, status, id);
}

}  // extern "C"
#pragma GCC visibility pop
