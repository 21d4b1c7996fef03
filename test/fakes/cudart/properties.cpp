#include <cstdio>

#include "core/script.hpp"
#include "cudart/variant.hpp"

namespace fake {
namespace {

constexpr ErrorText unknown{"cudaErrorUnknown", "unknown error"};

struct Entry {
  cudaError_t error;
  ErrorText text;
};

constexpr Entry errors[] = {
    {cudaSuccess, {"cudaSuccess", "no error"}},
    {cudaErrorInvalidValue, {"cudaErrorInvalidValue", "invalid argument"}},
    {cudaErrorMemoryAllocation, {"cudaErrorMemoryAllocation", "out of memory"}},
    {cudaErrorInitializationError, {"cudaErrorInitializationError", "initialization error"}},
    {cudaErrorInvalidMemcpyDirection,
     {"cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"}},
    {cudaErrorInsufficientDriver,
     {"cudaErrorInsufficientDriver",
      "CUDA driver version is insufficient for CUDA runtime version"}},
    {cudaErrorDevicesUnavailable,
     {"cudaErrorDevicesUnavailable", "device(s) is/are busy or unavailable"}},
    {cudaErrorNoDevice, {"cudaErrorNoDevice", "no CUDA-capable device is detected"}},
    {cudaErrorInvalidDevice, {"cudaErrorInvalidDevice", "invalid device ordinal"}},
    {cudaErrorInvalidResourceHandle, {"cudaErrorInvalidResourceHandle", "invalid resource handle"}},
    {cudaErrorIllegalState,
     {"cudaErrorIllegalState", "the operation cannot be performed in this state"}},
    {cudaErrorNotReady, {"cudaErrorNotReady", "device not ready"}},
    {cudaErrorIllegalAddress,
     {"cudaErrorIllegalAddress", "an illegal memory access was encountered"}},
    {cudaErrorHostMemoryAlreadyRegistered,
     {"cudaErrorHostMemoryAlreadyRegistered", "memory is already registered"}},
    {cudaErrorHostMemoryNotRegistered,
     {"cudaErrorHostMemoryNotRegistered", "memory is not registered"}},
    {cudaErrorLaunchFailure, {"cudaErrorLaunchFailure", "unspecified launch failure"}},
    {cudaErrorNotPermitted, {"cudaErrorNotPermitted", "operation not permitted"}},
    {cudaErrorNotSupported, {"cudaErrorNotSupported", "operation not supported"}},
    {cudaErrorStreamCaptureUnsupported,
     {"cudaErrorStreamCaptureUnsupported", "operation not permitted when stream is capturing"}},
    {cudaErrorStreamCaptureInvalidated,
     {"cudaErrorStreamCaptureInvalidated",
      "operation failed due to a previous error during capture"}},
    {cudaErrorStreamCaptureMerge,
     {"cudaErrorStreamCaptureMerge", "operation would merge two captures"}},
    {cudaErrorStreamCaptureUnmatched,
     {"cudaErrorStreamCaptureUnmatched", "capture was not ended in the stream where it began"}},
    {cudaErrorStreamCaptureUnjoined,
     {"cudaErrorStreamCaptureUnjoined", "capturing stream has unjoined work"}},
    {cudaErrorStreamCaptureIsolation,
     {"cudaErrorStreamCaptureIsolation",
      "dependency created on uncaptured work in another stream"}},
    {cudaErrorStreamCaptureImplicit,
     {"cudaErrorStreamCaptureImplicit",
      "operation would make the legacy stream depend on a capturing stream"}},
    {cudaErrorCapturedEvent,
     {"cudaErrorCapturedEvent",
      "operation not permitted on an event last recorded in a capturing stream"}},
    {cudaErrorStreamCaptureWrongThread,
     {"cudaErrorStreamCaptureWrongThread",
      "attempt to end a capture from a thread that did not begin it"}},
};

}  // namespace

int device_attribute(int attribute, int device) {
  for (const auto& statement : Script::get().statements()) {
    if (statement->verb == "attribute" && statement->number("id", -1) == attribute &&
        statement->number("rank", process_rank()) == process_rank()) {
      return static_cast<int>(statement->number("value", 0));
    }
  }
  switch (attribute) {
    case cudaDevAttrComputeCapabilityMajor:
      return 9;
    case cudaDevAttrPciBusId:
      return device + 1;
    case cudaDevAttrMaxThreadsPerBlock:
      return 1024;
    case cudaDevAttrWarpSize:
      return 32;
    case cudaDevAttrMultiProcessorCount:
      return 16;
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrConcurrentManagedAccess:
    case cudaDevAttrCanMapHostMemory:
    case cudaDevAttrMemoryPoolsSupported:
    case cudaDevAttrStreamPrioritiesSupported:
    case cudaDevAttrConcurrentKernels:
      return 1;
    default:
      return 0;
  }
}

void write_device_name(char* text, unsigned long length, int device) {
  std::snprintf(text, length, "tutti fake GPU %d", device);
}

ErrorText error_text(cudaError_t error) {
  for (const Entry& entry : errors) {
    if (entry.error == error) return entry.text;
  }
  return unknown;
}

}  // namespace fake
