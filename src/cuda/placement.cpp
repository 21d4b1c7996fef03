// Where memory lies. A program without CUDA must not pay for the question, and asking must not make
// a context on a device that nobody chose.
#include <cuda.h>
#include <dlfcn.h>

#include <cstring>

#include "cuda/functions.hpp"
#include "cuda/library_watch.hpp"
#include "cuda/memory.hpp"
#include "cuda/runtime.hpp"

namespace tutti::cuda {

namespace {

using PointerAttribute = decltype(&::cuPointerGetAttribute);

constinit LibraryWatch driver_watch("libcuda.so");

// The driver's own question needs no context. It is there whenever device memory is, except where
// something else plays the runtime.
PointerAttribute driver_question() {
  static const PointerAttribute question = [] {
    void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    return reinterpret_cast<PointerAttribute>(
        driver == nullptr ? nullptr : dlsym(driver, "cuPointerGetAttribute"));
  }();
  return question;
}

Placement ask_driver(PointerAttribute ask, const void* pointer) {
  const auto address = reinterpret_cast<CUdeviceptr>(pointer);
  unsigned type = 0;
  if (ask(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address) != CUDA_SUCCESS) return {};
  Placement placement;
  int managed = 0;
  static_cast<void>(ask(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, address));
  if (managed != 0)
    placement.type = MemoryType::managed;
  else
    placement.type = type == CU_MEMORYTYPE_DEVICE ? MemoryType::device : MemoryType::pinned;
  if (ask(&placement.device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, address) != CUDA_SUCCESS)
    placement.device = -1;
  return placement;
}

Placement ask_runtime(const void* pointer) {
  // Later majors may append members.
  union {
    cudaPointerAttributes attributes;
    unsigned char room[256];
  } answer;
  std::memset(&answer, 0, sizeof answer);
  if (functions().cudaPointerGetAttributes(&answer.attributes, pointer) != cudaSuccess) {
    forget_error();
    return {};
  }
  const int device = answer.attributes.device;
  switch (answer.attributes.type) {
    case cudaMemoryTypeUnregistered: return {};
    case cudaMemoryTypeHost: return {MemoryType::pinned, device};
    case cudaMemoryTypeDevice: return {MemoryType::device, device};
    case cudaMemoryTypeManaged: return {MemoryType::managed, device};
  }
  return {};
}

}  // namespace

bool device_memory_possible() noexcept { return opened() || driver_watch.seen(); }

Placement placement_of(const void* pointer) {
  if (!device_memory_possible()) return {};
  // Whether the runtime is a real one or a test's, its driver is loaded once it has been used.
  if (driver_watch.seen())
    if (const PointerAttribute ask = driver_question()) return ask_driver(ask, pointer);
  return opened() ? ask_runtime(pointer) : Placement{};
}

}  // namespace tutti::cuda
