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

using PointerAttributes = decltype(&::cuPointerGetAttributes);

constinit LibraryWatch driver_watch("libcuda.so");

// The driver's own question needs no context. It is there whenever device memory is, except where
// something else plays the runtime.
PointerAttributes driver_question() {
  static const PointerAttributes question = [] {
    void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    return reinterpret_cast<PointerAttributes>(
        driver == nullptr ? nullptr : dlsym(driver, "cuPointerGetAttributes"));
  }();
  return question;
}

// One question for all that is wanted: each costs a tenth of what it takes to enqueue an operation.
Placement ask_driver(PointerAttributes ask, const void* pointer) {
  unsigned type = 0;
  int managed = 0;
  int device = -1;
  CUpointer_attribute wanted[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                  CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
  void* answers[] = {&type, &managed, &device};
  // Memory that CUDA does not know is no failure; its type is none.
  if (ask(3, wanted, answers, reinterpret_cast<CUdeviceptr>(pointer)) != CUDA_SUCCESS) return {};
  if (managed != 0) return {MemoryType::managed, device};
  if (type == CU_MEMORYTYPE_DEVICE) return {MemoryType::device, device};
  if (type == CU_MEMORYTYPE_HOST) return {MemoryType::pinned, device};
  return {};
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
    case cudaMemoryTypeUnregistered:
      return {};
    case cudaMemoryTypeHost:
      return {MemoryType::pinned, device};
    case cudaMemoryTypeDevice:
      return {MemoryType::device, device};
    case cudaMemoryTypeManaged:
      return {MemoryType::managed, device};
  }
  return {};
}

}  // namespace

bool device_memory_possible() noexcept {
  return opened() || driver_watch.seen();
}

Placement placement_of(const void* pointer) {
  if (!device_memory_possible()) return {};
  // Whether the runtime is a real one or a test's, its driver is loaded once it has been used.
  if (driver_watch.seen())
    if (const PointerAttributes ask = driver_question()) return ask_driver(ask, pointer);
  return opened() ? ask_runtime(pointer) : Placement{};
}

}  // namespace tutti::cuda
