// The collectives, sends and receives.

#include "core/stream.hpp"
#include "nccl/call.hpp"
#include "nccl/versions.hpp"

using namespace fake;

namespace {

constexpr int no_root = -1;
constexpr int first_version_with_fp8 = 22400;

/** The arguments of a call as the header has them. */
struct Request {
  Kind kind;
  const void* send;
  void* recv;
  std::size_t count;
  ncclDataType_t type;
  ncclRedOp_t op;
  int root;  // or peer
};

bool exists(ncclDataType_t type) {
  if (type_size(type) == 0) return false;
  const bool fp8 = type == ncclFloat8e4m3 || type == ncclFloat8e5m2;
  return !fp8 || nccl_version() >= first_version_with_fp8;
}

ncclResult_t check_request(const CommPtr& comm, const Request& request, Operation* operation) {
  if (!exists(request.type)) return refuse(comm, ncclInvalidArgument, "no such data type");
  if (!comm->find_reduction(request.op, &operation->reduction)) {
    return refuse(comm, ncclInvalidArgument, "no such reduction");
  }
  const bool scaled = operation->reduction.op == ncclNumOps;
  if (scaled && operation->reduction.type != request.type) {
    return refuse(comm, ncclInvalidArgument, "the reduction was made for another data type");
  }
  if (request.root != no_root && (request.root < 0 || request.root >= comm->size)) {
    return refuse(comm, ncclInvalidArgument,
                  "root or peer " + std::to_string(request.root) + " of " +
                      std::to_string(comm->size) + " ranks");
  }
  operation->kind = request.kind;
  operation->send = request.send;
  operation->recv = request.recv;
  operation->count = request.count;
  operation->type = request.type;
  operation->root = request.root;
  if (const char* which = bad_memory(*comm, *operation)) {
    return refuse(comm, ncclInvalidArgument,
                  std::string("the ") + which + " buffer is null or not memory of a device");
  }
  return ncclSuccess;
}

/** Which device is current does not matter: since 2.14 a call outside a group is a group of its own
    inside NCCL, and a group turns to the device of each communicator and back. */
ncclResult_t check_device(const CommPtr& comm, const StreamPtr& stream) {
  if (!stream || stream->device() != comm->device) {
    return refuse(comm, ncclUnhandledCudaError,
                  "the stream does not exist or belongs to another device");
  }
  return ncclSuccess;
}

bool point_to_point(Kind kind) {
  return kind == Kind::send || kind == Kind::recv;
}

ncclResult_t enqueue(const char* function, const CommPtr& comm, const Call& call,
                     const Request& request, cudaStream_t handle) {
  const ncclResult_t usable = check_usable(comm);
  if (usable != ncclSuccess) return usable;
  Operation operation;
  const ncclResult_t good = check_request(comm, request, &operation);
  if (good != ncclSuccess) return good;
  const StreamPtr stream = find_stream(handle, comm->device);
  const ncclResult_t placed = check_device(comm, stream);
  if (placed != ncclSuccess) return placed;
  // A collective of nothing is no work; a send of nothing still meets its receive.
  if (request.count == 0 && !point_to_point(request.kind)) return ncclSuccess;
  const Script& script = Script::get();
  operation.stall = script.find_call("stall", function, comm->rank, call.number()) != nullptr;
  operation.corrupt = script.find_call("corrupt", function, comm->rank, call.number());
  return add_operation(comm, function, operation, stream);
}

ncclResult_t issue(const char* function, ncclComm_t handle, const Request& request,
                   cudaStream_t stream) {
  Arguments arguments;
  arguments("send", request.send)("recv", request.recv)("count", request.count);
  arguments("type", int{request.type})("op", int{request.op})("root", request.root);
  arguments("stream", static_cast<const void*>(stream))("group", in_group());
  return comm_call(function, handle, arguments, [&](const CommPtr& comm, const Call& call) {
    return enqueue(function, comm, call, request, stream);
  });
}

}  // namespace

extern "C" {

ncclResult_t ncclAllReduce(const void* send, void* recv, std::size_t count, ncclDataType_t type,
                           ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream) {
  return issue("ncclAllReduce", comm, {Kind::all_reduce, send, recv, count, type, op, no_root},
               stream);
}

ncclResult_t ncclReduce(const void* send, void* recv, std::size_t count, ncclDataType_t type,
                        ncclRedOp_t op, int root, ncclComm_t comm, cudaStream_t stream) {
  return issue("ncclReduce", comm, {Kind::reduce, send, recv, count, type, op, root}, stream);
}

ncclResult_t ncclBroadcast(const void* send, void* recv, std::size_t count, ncclDataType_t type,
                           int root, ncclComm_t comm, cudaStream_t stream) {
  return issue("ncclBroadcast", comm, {Kind::broadcast, send, recv, count, type, ncclSum, root},
               stream);
}

ncclResult_t ncclBcast(void* buffer, std::size_t count, ncclDataType_t type, int root,
                       ncclComm_t comm, cudaStream_t stream) {
  return issue("ncclBcast", comm, {Kind::broadcast, buffer, buffer, count, type, ncclSum, root},
               stream);
}

ncclResult_t ncclAllGather(const void* send, void* recv, std::size_t count, ncclDataType_t type,
                           ncclComm_t comm, cudaStream_t stream) {
  return issue("ncclAllGather", comm, {Kind::all_gather, send, recv, count, type, ncclSum, no_root},
               stream);
}

ncclResult_t ncclReduceScatter(const void* send, void* recv, std::size_t count, ncclDataType_t type,
                               ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream) {
  return issue("ncclReduceScatter", comm,
               {Kind::reduce_scatter, send, recv, count, type, op, no_root}, stream);
}

ncclResult_t ncclAlltoAll(const void* send, void* recv, std::size_t count, ncclDataType_t type,
                          ncclComm_t comm, cudaStream_t stream) {
  return issue("ncclAlltoAll", comm, {Kind::all_to_all, send, recv, count, type, ncclSum, no_root},
               stream);
}

ncclResult_t ncclGather(const void* send, void* recv, std::size_t count, ncclDataType_t type,
                        int root, ncclComm_t comm, cudaStream_t stream) {
  return issue("ncclGather", comm, {Kind::gather, send, recv, count, type, ncclSum, root}, stream);
}

ncclResult_t ncclScatter(const void* send, void* recv, std::size_t count, ncclDataType_t type,
                         int root, ncclComm_t comm, cudaStream_t stream) {
  return issue("ncclScatter", comm, {Kind::scatter, send, recv, count, type, ncclSum, root},
               stream);
}

ncclResult_t ncclSend(const void* send, std::size_t count, ncclDataType_t type, int peer,
                      ncclComm_t comm, cudaStream_t stream) {
  return issue("ncclSend", comm, {Kind::send, send, nullptr, count, type, ncclSum, peer}, stream);
}

ncclResult_t ncclRecv(void* recv, std::size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                      cudaStream_t stream) {
  return issue("ncclRecv", comm, {Kind::recv, nullptr, recv, count, type, ncclSum, peer}, stream);
}

}  // extern "C"
