#include <cstdio>

#include "core/script.hpp"
#include "cudart/variant.hpp"

namespace fake {
namespace {

constexpr ErrorText unknown{"cudaErrorUnknown", "unknown error"};

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
#define TUTTI_FAKE_ERROR(name, text) \
  case name:                         \
    return {#name, text}
  switch (static_cast<int>(error)) {
    TUTTI_FAKE_ERROR(cudaSuccess, "no error");
    TUTTI_FAKE_ERROR(cudaErrorInvalidValue, "invalid argument");
    TUTTI_FAKE_ERROR(cudaErrorMemoryAllocation, "out of memory");
    TUTTI_FAKE_ERROR(cudaErrorInitializationError, "initialization error");
    TUTTI_FAKE_ERROR(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy");
    TUTTI_FAKE_ERROR(cudaErrorInsufficientDriver,
                     "CUDA driver version is insufficient for CUDA runtime version");
    TUTTI_FAKE_ERROR(cudaErrorDevicesUnavailable, "device(s) is/are busy or unavailable");
    TUTTI_FAKE_ERROR(cudaErrorNoDevice, "no CUDA-capable device is detected");
    TUTTI_FAKE_ERROR(cudaErrorInvalidDevice, "invalid device ordinal");
    TUTTI_FAKE_ERROR(cudaErrorInvalidResourceHandle, "invalid resource handle");
    TUTTI_FAKE_ERROR(cudaErrorIllegalState, "the operation cannot be performed in this state");
    TUTTI_FAKE_ERROR(cudaErrorNotReady, "device not ready");
    TUTTI_FAKE_ERROR(cudaErrorIllegalAddress, "an illegal memory access was encountered");
    TUTTI_FAKE_ERROR(cudaErrorHostMemoryAlreadyRegistered, "memory is already registered");
    TUTTI_FAKE_ERROR(cudaErrorHostMemoryNotRegistered, "memory is not registered");
    TUTTI_FAKE_ERROR(cudaErrorLaunchFailure, "unspecified launch failure");
    TUTTI_FAKE_ERROR(cudaErrorNotPermitted, "operation not permitted");
    TUTTI_FAKE_ERROR(cudaErrorNotSupported, "operation not supported");
    TUTTI_FAKE_ERROR(cudaErrorStreamCaptureUnsupported,
                     "operation not permitted when stream is capturing");
    TUTTI_FAKE_ERROR(cudaErrorStreamCaptureInvalidated,
                     "operation failed due to a previous error during capture");
    TUTTI_FAKE_ERROR(cudaErrorStreamCaptureMerge, "operation would merge two captures");
    TUTTI_FAKE_ERROR(cudaErrorStreamCaptureUnmatched,
                     "capture was not ended in the stream where it began");
    TUTTI_FAKE_ERROR(cudaErrorStreamCaptureUnjoined, "capturing stream has unjoined work");
    TUTTI_FAKE_ERROR(cudaErrorStreamCaptureIsolation,
                     "dependency created on uncaptured work in another stream");
    TUTTI_FAKE_ERROR(cudaErrorStreamCaptureImplicit,
                     "operation would make the legacy stream depend on a capturing stream");
    TUTTI_FAKE_ERROR(cudaErrorCapturedEvent,
                     "operation not permitted on an event last recorded in a capturing stream");
    TUTTI_FAKE_ERROR(cudaErrorStreamCaptureWrongThread,
                     "attempt to end a capture from a thread that did not begin it");
    default:
      return unknown;
  }
#undef TUTTI_FAKE_ERROR
}

}  // namespace fake
