// Memory of NCCL's own, registrations and windows.

#include "core/memory.hpp"

#include "core/capture.hpp"
#include "nccl/call.hpp"

using namespace fake;

namespace {

ncclResult_t check_buffer(const CommPtr& comm, void* buffer, std::size_t bytes, void* handle) {
  if (handle == nullptr || buffer == nullptr || bytes == 0) {
    return refuse(comm, ncclInvalidArgument, "a null buffer or handle");
  }
  if (device_may_touch(buffer, bytes)) return ncclSuccess;
  return refuse(comm, ncclInvalidArgument, "the buffer is not device memory");
}

}  // namespace

extern "C" {

ncclResult_t ncclMemAlloc(void** pointer, std::size_t bytes) {
  return free_call("ncclMemAlloc", process_rank(), Arguments()("bytes", bytes), [&](const Call&) {
    if (pointer == nullptr) return ncclInvalidArgument;
    if (ready() != cudaSuccess || check_unsafe_call() != cudaSuccess) return ncclUnhandledCudaError;
    return allocate(pointer, bytes, cudaMemoryTypeDevice, current_device()) == cudaSuccess
               ? ncclSuccess
               : ncclUnhandledCudaError;
  });
}

ncclResult_t ncclMemFree(void* pointer) {
  return free_call("ncclMemFree", process_rank(), Arguments()("pointer", pointer),
                   [&](const Call&) {
                     const auto block = find_block(pointer);
                     if (pointer == nullptr) return ncclSuccess;
                     if (!block || synchronize_device(block->device) != cudaSuccess ||
                         release(pointer, cudaMemoryTypeDevice) != cudaSuccess) {
                       return refuse(nullptr, ncclInvalidUsage, "not memory of ncclMemAlloc");
                     }
                     return ncclSuccess;
                   });
}

ncclResult_t ncclCommRegister(const ncclComm_t handle, void* buffer, std::size_t bytes,
                              void** registration) {
  return comm_call("ncclCommRegister", handle, Arguments()("buffer", buffer)("bytes", bytes),
                   [&](const CommPtr& comm, const Call&) {
                     const ncclResult_t good = check_buffer(comm, buffer, bytes, registration);
                     if (good == ncclSuccess) *registration = comm->add_registration(false);
                     return good;
                   });
}

ncclResult_t ncclCommDeregister(const ncclComm_t handle, void* registration) {
  return comm_call("ncclCommDeregister", handle, Arguments()("handle", registration),
                   [&](const CommPtr& comm, const Call&) {
                     if (comm->remove_registration(registration, false)) return ncclSuccess;
                     return refuse(comm, ncclInvalidArgument, "no such registration");
                   });
}

ncclResult_t ncclCommWindowRegister(ncclComm_t handle, void* buffer, std::size_t bytes,
                                    ncclWindow_t* window, int flags) {
  const Arguments arguments = Arguments()("buffer", buffer)("bytes", bytes)("flags", flags);
  return comm_call(
      "ncclCommWindowRegister", handle, arguments, [&](const CommPtr& comm, const Call&) {
        const ncclResult_t good = check_buffer(comm, buffer, bytes, window);
        if (good != ncclSuccess) return good;
        if (reinterpret_cast<std::uintptr_t>(buffer) % NCCL_WIN_REQUIRED_ALIGNMENT != 0) {
          return refuse(comm, ncclInvalidArgument, "a window begins at a multiple of 4096 bytes");
        }
        *window = static_cast<ncclWindow_t>(comm->add_registration(true));
        return ncclSuccess;
      });
}

ncclResult_t ncclCommWindowDeregister(ncclComm_t handle, ncclWindow_t window) {
  return comm_call("ncclCommWindowDeregister", handle,
                   Arguments()("handle", static_cast<const void*>(window)),
                   [&](const CommPtr& comm, const Call&) {
                     if (comm->remove_registration(window, true)) return ncclSuccess;
                     return refuse(comm, ncclInvalidArgument, "no such window");
                   });
}

}  // extern "C"
