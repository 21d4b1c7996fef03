// Versions, errors, groups, and what a communicator knows about itself.

#include "nccl/call.hpp"
#include "nccl/versions.hpp"

using namespace fake;

extern "C" {

ncclResult_t ncclGetVersion(int* version) {
  return free_call("ncclGetVersion", process_rank(), {}, [&](const Call&) {
    if (version == nullptr) return ncclInvalidArgument;
    *version = nccl_version();
    return ncclSuccess;
  });
}

const char* ncclGetErrorString(ncclResult_t result) {
  switch (result) {
    case ncclSuccess:
      return "no error";
    case ncclUnhandledCudaError:
      return "unhandled cuda error";
    case ncclSystemError:
      return "unhandled system error";
    case ncclInternalError:
      return "internal error";
    case ncclInvalidArgument:
      return "invalid argument";
    case ncclInvalidUsage:
      return "invalid usage";
    case ncclRemoteError:
      return "remote process exited or there was a network error";
    case ncclInProgress:
      return "NCCL operation in progress";
    case ncclNumResults:
      break;
  }
  return "unknown result code";
}

const char* ncclGetLastError(ncclComm_t handle) {
  const CommPtr comm = comms().find(handle);
  const Call call("ncclGetLastError", comm ? comm->rank : process_rank());
  const char* text = comm ? comm->last_error() : "";
  if (*text == '\0') text = global_error();
  call.log(Arguments()("comm", static_cast<const void*>(handle)), current_device(), 0);
  return text;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t handle, ncclResult_t* state) {
  Arguments arguments;
  const CommPtr known = comms().find(handle);
  if (known && state != nullptr) *state = known->poll();
  if (state != nullptr) arguments("state", static_cast<int>(*state));
  return comm_call("ncclCommGetAsyncError", handle, arguments, [&](const CommPtr&, const Call&) {
    return state == nullptr ? ncclInvalidArgument : ncclSuccess;
  });
}

ncclResult_t ncclCommCount(const ncclComm_t handle, int* count) {
  return comm_call("ncclCommCount", handle, {}, [&](const CommPtr& comm, const Call&) {
    if (count == nullptr) return ncclInvalidArgument;
    *count = comm->size;
    return ncclSuccess;
  });
}

ncclResult_t ncclCommCuDevice(const ncclComm_t handle, int* device) {
  return comm_call("ncclCommCuDevice", handle, {}, [&](const CommPtr& comm, const Call&) {
    if (device == nullptr) return ncclInvalidArgument;
    *device = comm->device;
    return ncclSuccess;
  });
}

ncclResult_t ncclCommUserRank(const ncclComm_t handle, int* rank) {
  return comm_call("ncclCommUserRank", handle, {}, [&](const CommPtr& comm, const Call&) {
    if (rank == nullptr) return ncclInvalidArgument;
    *rank = comm->rank;
    return ncclSuccess;
  });
}

ncclResult_t ncclGroupStart() {
  return free_call("ncclGroupStart", process_rank(), {}, [](const Call&) {
    group_start();
    return ncclSuccess;
  });
}

ncclResult_t ncclGroupEnd() {
  const Call call("ncclGroupEnd", process_rank());
  ncclResult_t result = scripted(call, nullptr);
  if (call.hang() != nullptr) {
    call.log({}, current_device(), "hang");
    hang_forever();
  }
  // A scripted failure still closes the group: the real one does so too.
  if (result == ncclSuccess) {
    result = group_end();
  } else {
    group_drop();
  }
  call.log({}, current_device(), static_cast<int>(result));
  return result;
}

ncclResult_t ncclGroupSimulateEnd(ncclSimInfo_t* info) {
  return free_call("ncclGroupSimulateEnd", process_rank(), {}, [&](const Call&) {
    if (info != nullptr) info->estimatedTime = 0;
    return group_drop();
  });
}

}  // extern "C"
