#pragma once

#include <cuda_runtime_api.h>

#include <atomic>

/// Every function of the CUDA runtime that tutti calls, typed from CUDA's header.
#define TUTTI_CUDART_FUNCTIONS(X)  \
  X(cudaDeviceGetAttribute)        \
  X(cudaDeviceGetPCIBusId)         \
  X(cudaDriverGetVersion)          \
  X(cudaEventCreateWithFlags)      \
  X(cudaEventDestroy)              \
  X(cudaEventQuery)                \
  X(cudaEventRecord)               \
  X(cudaFree)                      \
  X(cudaFreeAsync)                 \
  X(cudaFreeHost)                  \
  X(cudaGetDevice)                 \
  X(cudaGetDeviceCount)            \
  X(cudaGetErrorName)              \
  X(cudaGetErrorString)            \
  X(cudaGetLastError)              \
  X(cudaGraphDestroy)              \
  X(cudaGraphExecDestroy)          \
  X(cudaGraphInstantiateWithFlags) \
  X(cudaGraphLaunch)               \
  X(cudaHostAlloc)                 \
  X(cudaMalloc)                    \
  X(cudaMallocAsync)               \
  X(cudaMemcpyAsync)               \
  X(cudaPointerGetAttributes)      \
  X(cudaRuntimeGetVersion)         \
  X(cudaSetDevice)                 \
  X(cudaStreamBeginCapture)        \
  X(cudaStreamCreateWithFlags)     \
  X(cudaStreamDestroy)             \
  X(cudaStreamEndCapture)          \
  X(cudaStreamIsCapturing)         \
  X(cudaStreamQuery)               \
  X(cudaStreamWaitEvent)           \
  X(cudaThreadExchangeStreamCaptureMode)

namespace tutti::cuda {

struct Functions {
#define TUTTI_MEMBER(name) decltype(&::name) name = nullptr;
  TUTTI_CUDART_FUNCTIONS(TUTTI_MEMBER)
#undef TUTTI_MEMBER
  /// The struct that it fills differs between majors, its first members do not: see uuid_of.
  cudaError_t (*get_properties)(cudaDeviceProp* properties, int device) = nullptr;
};

/// The table of the runtime of this process; null until it is opened, and if there is none.
extern std::atomic<const Functions*> opened_functions;
const Functions& open_functions();

/// The table of the runtime of this process. @throws Error (library) if there is none.
inline const Functions& functions() {
  const Functions* const table = opened_functions.load(std::memory_order_acquire);
  return table != nullptr ? *table : open_functions();
}
/// The same; null if there is none.
const Functions* functions_or_null() noexcept;

/// Throws Error with CUDA's name and text unless `code` is cudaSuccess; `call` is what was called.
void check(cudaError_t code, const char* call);
/// Forgets a failure, so that the application's cudaGetLastError does not find it.
void forget_error() noexcept;
/// As `check` for a query: false for cudaErrorNotReady.
bool check_ready(cudaError_t code, const char* call);

}  // namespace tutti::cuda

/// The one way in which tutti calls CUDA: `TUTTI_CUDA(cudaFree(memory))`.
#define TUTTI_CUDA(call) ::tutti::cuda::check(::tutti::cuda::functions().call, #call)
