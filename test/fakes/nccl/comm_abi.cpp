// Communicators end; what is registered on them; their own reductions.

#include <cstring>
#include <thread>

#include "core/memory.hpp"
#include "nccl/call.hpp"

using namespace fake;

namespace {

/** Nothing on a stream or in a graph touches the communicator after this. */
void close(const CommPtr& comm) {
  comms().take(comm.get());
  comm->abort();
  comm->wait_quiet();
}

ncclResult_t finalize(const CommPtr& comm) {
  if (comm->finalized.exchange(true)) {
    return refuse(comm, ncclInvalidArgument, "the communicator was finalized before");
  }
  if (comm->blocking) {
    comm->wait_idle();
    return ncclSuccess;
  }
  const auto* progress = Script::get().find("progress", "ncclCommFinalize", comm->rank);
  const auto polls = progress == nullptr ? 2 : progress->number("polls", 2);
  comm->begin_progress(static_cast<int>(polls), progress, nullptr);
  std::thread([comm] {
    comm->wait_idle();
    comm->finish_progress(ncclSuccess);
  }).detach();
  return ncclInProgress;
}

}  // namespace

extern "C" {

ncclResult_t ncclCommFinalize(ncclComm_t handle) {
  return comm_call("ncclCommFinalize", handle, {},
                   [](const CommPtr& comm, const Call&) { return finalize(comm); });
}

ncclResult_t ncclCommDestroy(ncclComm_t handle) {
  return comm_call("ncclCommDestroy", handle, {}, [](const CommPtr& comm, const Call&) {
    comm->wait_idle();
    close(comm);
    return ncclSuccess;
  });
}

ncclResult_t ncclCommAbort(ncclComm_t handle) {
  return comm_call("ncclCommAbort", handle, {}, [](const CommPtr& comm, const Call&) {
    close(comm);
    return ncclSuccess;
  });
}

ncclResult_t ncclCommRevoke(ncclComm_t handle, int flags) {
  return comm_call("ncclCommRevoke", handle, Arguments()("flags", flags),
                   [&](const CommPtr& comm, const Call&) {
                     if (flags != NCCL_REVOKE_DEFAULT) return ncclInvalidArgument;
                     comm->revoke();
                     comm->wait_quiet();
                     return ncclSuccess;
                   });
}

ncclResult_t ncclRedOpCreatePreMulSum(ncclRedOp_t* op, void* scalar, ncclDataType_t type,
                                      ncclScalarResidence_t residence, ncclComm_t handle) {
  const std::size_t size = type_size(type);
  std::uint64_t bits = 0;
  if (scalar != nullptr && residence == ncclScalarHostImmediate) std::memcpy(&bits, scalar, size);
  Arguments arguments;
  arguments("type", int{type})("residence", int{residence})("bits", bits);
  return comm_call("ncclRedOpCreatePreMulSum", handle, arguments,
                   [&](const CommPtr& comm, const Call&) {
                     if (op == nullptr || scalar == nullptr || size == 0) {
                       return refuse(comm, ncclInvalidArgument, "a null scalar, or no such type");
                     }
                     Reduction reduction;
                     reduction.op = ncclNumOps;
                     std::memcpy(reduction.scalar.data(), &bits, size);
                     if (residence == ncclScalarDevice) reduction.device_scalar = scalar;
                     reduction.type = type;
                     *op = comm->add_reduction(reduction);
                     return ncclSuccess;
                   });
}

ncclResult_t ncclRedOpDestroy(ncclRedOp_t op, ncclComm_t handle) {
  return comm_call("ncclRedOpDestroy", handle, Arguments()("op", int{op}),
                   [&](const CommPtr& comm, const Call&) {
                     if (comm->remove_reduction(op)) return ncclSuccess;
                     return refuse(comm, ncclInvalidArgument, "no such reduction");
                   });
}

}  // extern "C"
