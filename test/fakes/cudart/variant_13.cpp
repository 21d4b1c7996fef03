// What only libcudart.so.13 has.

#include <cstring>

#include "core/hide_symbols.hpp"
#include "core/memory.hpp"
#include "core/stream.hpp"
#include "cudart/call.hpp"
#include "cudart/variant.hpp"

using namespace fake;

namespace fake {
int runtime_version() {
  return 13000;
}
}  // namespace fake

namespace {

void fill(cudaDeviceProp* properties, int device) {
  *properties = {};
  write_device_name(properties->name, sizeof properties->name, device);
  const Uuid uuid = device_uuid(device);
  std::memcpy(&properties->uuid, uuid.data(), uuid.size());
  std::size_t free = 0;
  memory_info(device, &free, &properties->totalGlobalMem);
  properties->warpSize = 32;
  properties->maxThreadsPerBlock = 1024;
  properties->major = device_attribute(cudaDevAttrComputeCapabilityMajor, device);
  properties->minor = device_attribute(cudaDevAttrComputeCapabilityMinor, device);
  properties->multiProcessorCount = device_attribute(cudaDevAttrMultiProcessorCount, device);
  properties->unifiedAddressing = properties->managedMemory = properties->canMapHostMemory = 1;
  properties->pciBusID = device + 1;
}

/** The constructor runs in dlopen(), before anyone can look a name up. */
[[gnu::constructor]] void hide_missing() {
  hide_symbols([](std::string_view name) {
    return Script::get().find("missing", name, process_rank()) != nullptr;
  });
}

}  // namespace

extern "C" {

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return cuda_call("cudaGetDeviceProperties", Arguments()("of", device), [&] {
    if (properties == nullptr) return cudaErrorInvalidValue;
    if (!valid_device(device)) return cudaErrorInvalidDevice;
    fill(properties, device);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t handle, cudaStreamCaptureStatus* status,
                                     unsigned long long* id, cudaGraph_t* graph,
                                     const cudaGraphNode_t** dependencies,
                                     const cudaGraphEdgeData** edges, std::size_t* count) {
  return cuda_call("cudaStreamGetCaptureInfo", Arguments()("stream", handle), [&] {
    const StreamPtr stream = find_stream(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (status == nullptr) return cudaErrorInvalidValue;
    if (graph != nullptr) *graph = nullptr;  // nodes cannot be added by hand here
    if (dependencies != nullptr) *dependencies = nullptr;
    if (edges != nullptr) *edges = nullptr;
    if (count != nullptr) *count = 0;
    return capture_status(stream, status, id);
  });
}

}  // extern "C"
