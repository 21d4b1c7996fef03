#pragma once

#include <cuda_runtime_api.h>
#include <nccl.h>

#include <atomic>
#include <string>

/// Every NCCL function that tutti cannot do without, typed from NCCL's header.
#define TUTTI_NCCL_FUNCTIONS(X) \
  X(ncclAllGather)              \
  X(ncclAllReduce)              \
  X(ncclBroadcast)              \
  X(ncclCommAbort)              \
  X(ncclCommDestroy)            \
  X(ncclCommFinalize)           \
  X(ncclCommGetAsyncError)      \
  X(ncclCommInitRankConfig)     \
  X(ncclGetErrorString)         \
  X(ncclGetLastError)           \
  X(ncclGetUniqueId)            \
  X(ncclGetVersion)             \
  X(ncclGroupEnd)               \
  X(ncclGroupStart)             \
  X(ncclRecv)                   \
  X(ncclReduce)                 \
  X(ncclReduceScatter)          \
  X(ncclRedOpCreatePreMulSum)   \
  X(ncclRedOpDestroy)           \
  X(ncclSend)

struct ncclWindow_vidmem;  // not in older headers

/// Those that later versions brought, with the version. Their types are spelt out, so that older
/// headers build too.
#define TUTTI_NCCL_OPTIONAL_FUNCTIONS(X)                                                         \
  X(ncclCommSplit, 21801, (ncclComm_t, int, int, ncclComm_t*, ncclConfig_t*))                    \
  X(ncclMemAlloc, 21903, (void**, size_t))                                                       \
  X(ncclMemFree, 21903, (void*))                                                                 \
  X(ncclCommRegister, 21903, (ncclComm_t, void*, size_t, void**))                                \
  X(ncclCommDeregister, 21903, (ncclComm_t, void*))                                              \
  X(ncclCommWindowRegister, 22703, (ncclComm_t, void*, size_t, ncclWindow_vidmem**, int))        \
  X(ncclCommWindowDeregister, 22703, (ncclComm_t, ncclWindow_vidmem*))                           \
  X(ncclAlltoAll, 22803, (const void*, void*, size_t, ncclDataType_t, ncclComm_t, cudaStream_t)) \
  X(ncclGather, 22803,                                                                           \
    (const void*, void*, size_t, ncclDataType_t, int, ncclComm_t, cudaStream_t))                 \
  X(ncclScatter, 22803, (const void*, void*, size_t, ncclDataType_t, int, ncclComm_t, cudaStream_t))

namespace tutti::nccl {

/// The first version with communicators whose making can be given a deadline.
inline constexpr int oldest_version = 21403;

struct Functions {
#define TUTTI_MEMBER(name) decltype(&::name) name = nullptr;
  TUTTI_NCCL_FUNCTIONS(TUTTI_MEMBER)
#undef TUTTI_MEMBER
#define TUTTI_MEMBER(name, since, parameters) ncclResult_t(*name) parameters = nullptr;
  TUTTI_NCCL_OPTIONAL_FUNCTIONS(TUTTI_MEMBER)
#undef TUTTI_MEMBER
  int version = 0;
};

/// The table of the library of this process; null until it is opened, and if there is none.
extern std::atomic<const Functions*> opened_functions;
const Functions& open_functions();

/// The table of the library of this process, opened once. @throws Error (library) if there is none.
inline const Functions& functions() {
  const Functions* const table = opened_functions.load(std::memory_order_acquire);
  return table != nullptr ? *table : open_functions();
}
/// The same; null if there is none.
const Functions* functions_or_null() noexcept;
/// Where the library was found; empty if it was not.
const std::string& library_path() noexcept;
/// Why an optional function is not there: "ncclAlltoAll needs NCCL 2.28.3, loaded is 2.18.5".
std::string why_missing(const char* function);

/// What NCCL says of a result: its text and that of its last error, with hints. Empty for success.
std::string words_of(ncclResult_t result, ncclComm_t comm);
/// Throws Error unless `result` is ncclSuccess; `call` is what was called.
void check(ncclResult_t result, const char* call, ncclComm_t comm = nullptr);
/// Of the local network interfaces; for messages about how NCCL finds its peers.
std::string interface_names();

}  // namespace tutti::nccl

/// The way in which tutti calls NCCL where nothing can be in progress:
/// `TUTTI_NCCL(ncclGroupStart())`.
#define TUTTI_NCCL(call) ::tutti::nccl::check(::tutti::nccl::functions().call, #call)
