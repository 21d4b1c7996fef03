#pragma once

#include "core/nccl_api.hpp"

#include "core/call.hpp"
#include "core/comm.hpp"
#include "core/device.hpp"
#include "core/group.hpp"

namespace fake {

inline ncclResult_t refuse(const CommPtr& comm, ncclResult_t code, const std::string& text) {
  if (comm) comm->set_last_error(text);
  set_global_error(text);
  return code;
}

/** Result that the script or a bad script gives instead of the call; success when neither does. */
inline ncclResult_t scripted(const Call& call, const CommPtr& comm) {
  if (call.script_is_bad()) return refuse(comm, ncclInternalError, Script::get().error());
  const Statement* failure = call.failure();
  if (failure == nullptr) return ncclSuccess;
  const auto code = static_cast<ncclResult_t>(failure->number("code", ncclSystemError));
  return refuse(comm, code, failure->has("text") ? failure->text("text") : "scripted failure");
}

/** A call without a communicator; `rank` is what `rank=` in the script is compared with. */
template <typename Body>
ncclResult_t free_call(const char* function, int rank, const Arguments& arguments, Body&& body) {
  const Call call(function, rank);
  if (call.hang() != nullptr) {
    call.log(arguments, current_device(), "hang");
    hang_forever();
  }
  ncclResult_t result = scripted(call, nullptr);
  if (result == ncclSuccess) result = body(call);
  if (result != ncclSuccess && result != ncclInProgress) group_failed(result);
  call.log(arguments, current_device(), static_cast<int>(result));
  return result;
}

/** A call on a communicator, which must be a live one. */
template <typename Body>
ncclResult_t comm_call(const char* function, ncclComm_t handle, Arguments arguments, Body&& body) {
  const CommPtr comm = comms().find(handle);
  const Call call(function, comm ? comm->rank : process_rank());
  arguments("comm", static_cast<const void*>(handle));
  if (comm) arguments("comm_device", comm->device);
  if (call.hang() != nullptr) {
    call.log(arguments, current_device(), "hang");
    if (!comm) hang_forever();
    comm->wait_for_abort();
    return ncclInternalError;
  }
  ncclResult_t result = scripted(call, comm);
  if (result == ncclSuccess) {
    result = comm ? body(comm, call)
                  : refuse(nullptr, ncclInvalidArgument,
                           "the communicator is null, destroyed or never was one");
  }
  if (result != ncclSuccess && result != ncclInProgress) group_failed(result);
  call.log(arguments, current_device(), static_cast<int>(result));
  return result;
}

/** Success when a communicator may take new work. */
inline ncclResult_t check_usable(const CommPtr& comm) {
  if (comm->revoked()) return refuse(comm, ncclInvalidUsage, "the communicator was revoked");
  if (comm->finalized) return refuse(comm, ncclInvalidUsage, "the communicator was finalized");
  const ncclResult_t state = comm->state();
  if (state != ncclInProgress) return state;
  return refuse(comm, ncclInvalidArgument, "the communicator's previous call is still in progress");
}

}  // namespace fake
