// The NCCL calls that a programmer would write, on a communicator of their own.
#include <fmt/format.h>
#include <nccl.h>
#include <tutti/error.hpp>
#include <tutti/nccl.hpp>

#include <optional>

#include "bench/contender.hpp"
#include "bench/device_runtime.hpp"
#include "bench/loaded_library.hpp"
#include "common/mpi_support.hpp"

namespace tutti::bench {
namespace {

constexpr const char* library = "libnccl.so";

/// NCCL's functions, looked up once.
struct Calls {
#define TUTTI_CALL(name) \
  decltype(&::name) name = loaded<std::remove_pointer_t<decltype(&::name)>>(library, #name)
  TUTTI_CALL(ncclAllReduce);
  TUTTI_CALL(ncclReduce);
  TUTTI_CALL(ncclBroadcast);
  TUTTI_CALL(ncclAllGather);
  TUTTI_CALL(ncclReduceScatter);
  TUTTI_CALL(ncclSend);
  TUTTI_CALL(ncclRecv);
  TUTTI_CALL(ncclGroupStart);
  TUTTI_CALL(ncclGroupEnd);
#undef TUTTI_CALL

  // Since NCCL 2.28; null before.
  using Rooted = ncclResult_t(const void*, void*, std::size_t, ncclDataType_t, int, ncclComm_t,
                              cudaStream_t);
  using Everybody = ncclResult_t(const void*, void*, std::size_t, ncclDataType_t, ncclComm_t,
                                 cudaStream_t);
  Rooted* gather = reinterpret_cast<Rooted*>(loaded_function_or_null(library, "ncclGather"));
  Rooted* scatter = reinterpret_cast<Rooted*>(loaded_function_or_null(library, "ncclScatter"));
  Everybody* all_to_all =
      reinterpret_cast<Everybody*>(loaded_function_or_null(library, "ncclAlltoAll"));
};

std::optional<ncclDataType_t> nccl_type(DataType type) {
  switch (type) {
    case DataType::int8:
      return ncclInt8;
    case DataType::uint8:
      return ncclUint8;
    case DataType::int32:
      return ncclInt32;
    case DataType::uint32:
      return ncclUint32;
    case DataType::int64:
      return ncclInt64;
    case DataType::uint64:
      return ncclUint64;
    case DataType::float16:
      return ncclFloat16;
    case DataType::bfloat16:
      return ncclBfloat16;
    case DataType::float32:
      return ncclFloat32;
    case DataType::float64:
      return ncclFloat64;
    default:
      return std::nullopt;
  }
}

std::optional<ncclRedOp_t> nccl_op(ReduceOp::Kind kind) {
  switch (kind) {
    case ReduceOp::Kind::sum:
      return ncclSum;
    case ReduceOp::Kind::prod:
      return ncclProd;
    case ReduceOp::Kind::min:
      return ncclMin;
    case ReduceOp::Kind::max:
      return ncclMax;
    case ReduceOp::Kind::avg:
      return ncclAvg;
    default:
      return std::nullopt;
  }
}

void check_nccl(ncclResult_t result, const char* call) {
  if (result != ncclSuccess)
    throw Error(Errc::nccl,
                fmt::format("{}: {}", call, nccl::error_text(static_cast<int>(result))));
}

class NcclAction final : public Action {
 public:
  NcclAction(const Job& job, const Ranges& ranges, ncclComm_t comm, const DeviceStream& stream)
      : job_(job),
        send_(job.in_place ? ranges.data.data : ranges.send.data),
        receive_(job.in_place ? ranges.data.data : ranges.receive.data),
        type_(*nccl_type(job.type)),
        op_(job.collective->reduces ? *nccl_op(job.op) : ncclSum),
        comm_(comm),
        stream_(stream) {}

  void run() override {
    call();
    if (job_.verb != Verb::enqueue) stream_.synchronise();
  }
  void finish() override { stream_.synchronise(); }

 private:
  char* block(void* base, std::size_t elements) const {
    return static_cast<char*>(base) + elements * size_of(job_.type);
  }

  void call() {
    const std::string_view name = job_.collective->name;
    const cudaStream_t s = stream_.handle();
    const std::size_t n = job_.count;
    const auto own = static_cast<std::size_t>(job_.rank) * n;
    if (name == "all_reduce")
      check_nccl(calls_.ncclAllReduce(send_, receive_, n, type_, op_, comm_, s), "ncclAllReduce");
    else if (name == "reduce")
      check_nccl(calls_.ncclReduce(send_, receive_, n, type_, op_, job_.root, comm_, s),
                 "ncclReduce");
    else if (name == "broadcast") {
      void* const data = receive_ != nullptr ? receive_ : send_;
      check_nccl(calls_.ncclBroadcast(data, data, n, type_, job_.root, comm_, s), "ncclBroadcast");
    } else if (name == "all_gather")
      check_nccl(calls_.ncclAllGather(job_.in_place ? block(receive_, own) : send_, receive_, n,
                                      type_, comm_, s),
                 "ncclAllGather");
    else if (name == "reduce_scatter")
      check_nccl(calls_.ncclReduceScatter(send_, job_.in_place ? block(send_, own) : receive_, n,
                                          type_, op_, comm_, s),
                 "ncclReduceScatter");
    else if (!native(name, s))
      messages(name, s);
  }

  bool native(std::string_view name, cudaStream_t s) {
    const auto own = static_cast<std::size_t>(job_.rank) * job_.count;
    const bool at_root = job_.in_place && job_.is_root();
    if (name == "gather" && calls_.gather != nullptr)
      check_nccl(calls_.gather(at_root ? block(receive_, own) : send_, receive_, job_.count, type_,
                               job_.root, comm_, s),
                 "ncclGather");
    else if (name == "scatter" && calls_.scatter != nullptr)
      check_nccl(calls_.scatter(send_, at_root ? block(send_, own) : receive_, job_.count, type_,
                                job_.root, comm_, s),
                 "ncclScatter");
    else if (name == "all_to_all" && calls_.all_to_all != nullptr)
      check_nccl(calls_.all_to_all(send_, receive_, job_.count, type_, comm_, s), "ncclAlltoAll");
    else
      return false;
    return true;
  }

  // As nccl-tests does what has no call of its own before NCCL 2.28.
  void messages(std::string_view name, cudaStream_t s) {
    const int next = (job_.rank + 1) % job_.size;
    const int previous = (job_.rank + job_.size - 1) % job_.size;
    check_nccl(calls_.ncclGroupStart(), "ncclGroupStart");
    if (name == "send_recv") {
      check_nccl(calls_.ncclSend(send_, job_.count, type_, next, comm_, s), "ncclSend");
      check_nccl(calls_.ncclRecv(receive_, job_.count, type_, previous, comm_, s), "ncclRecv");
    }
    for (int peer = 0; name == "all_to_all" && peer < job_.size; ++peer) {
      const std::size_t at = static_cast<std::size_t>(peer) * job_.count;
      check_nccl(calls_.ncclSend(block(send_, at), job_.count, type_, peer, comm_, s), "ncclSend");
      check_nccl(calls_.ncclRecv(block(receive_, at), job_.count, type_, peer, comm_, s),
                 "ncclRecv");
    }
    if (name == "gather") to_root(s);
    if (name == "scatter") from_root(s);
    check_nccl(calls_.ncclGroupEnd(), "ncclGroupEnd");
  }

  // In place the root's own block is where it belongs.
  bool skips(int peer) const { return job_.in_place && peer == job_.root; }

  void to_root(cudaStream_t s) {
    if (!skips(job_.rank))
      check_nccl(calls_.ncclSend(send_, job_.count, type_, job_.root, comm_, s), "ncclSend");
    for (int peer = 0; job_.is_root() && peer < job_.size; ++peer)
      if (!skips(peer))
        check_nccl(calls_.ncclRecv(block(receive_, static_cast<std::size_t>(peer) * job_.count),
                                   job_.count, type_, peer, comm_, s),
                   "ncclRecv");
  }

  void from_root(cudaStream_t s) {
    if (!skips(job_.rank))
      check_nccl(calls_.ncclRecv(receive_, job_.count, type_, job_.root, comm_, s), "ncclRecv");
    for (int peer = 0; job_.is_root() && peer < job_.size; ++peer)
      if (!skips(peer))
        check_nccl(calls_.ncclSend(block(send_, static_cast<std::size_t>(peer) * job_.count),
                                   job_.count, type_, peer, comm_, s),
                   "ncclSend");
  }

  const Job& job_;
  void* send_;
  void* receive_;
  ncclDataType_t type_;
  ncclRedOp_t op_;
  ncclComm_t comm_;
  const DeviceStream& stream_;
  Calls calls_;
};

nccl::UniqueId shared_id(MPI_Comm comm, int rank) {
  nccl::UniqueId::Bytes bytes{};
  if (rank == 0) bytes = nccl::UniqueId::make().bytes();
  check_mpi(MPI_Bcast(bytes.data(), static_cast<int>(bytes.size()), MPI_CHAR, 0, comm),
            "MPI_Bcast");
  return nccl::UniqueId(bytes);
}

class Nccl final : public Contender {
 public:
  Nccl(const Communicator& world, const DeviceStream& stream)
      : stream_(stream), comm_(world.size(), shared_id(world.mpi(), world.rank()), world.rank()) {}

  std::string_view name() const noexcept override { return "nccl"; }

  std::string refusal(const Job& job) const override {
    constexpr std::string_view known[] = {"all_reduce", "reduce",         "broadcast",
                                          "all_gather", "reduce_scatter", "gather",
                                          "scatter",    "all_to_all",     "send_recv"};
    bool has = false;
    for (const std::string_view name : known) has = has || name == job.collective->name;
    if (!has || job.uneven) return fmt::format("NCCL has no call for {}", job.collective->name);
    if (job.in_place && job.collective->name == "all_to_all")
      return "NCCL's all_to_all is not in place";
    if (!nccl_type(job.type)) return fmt::format("NCCL has no {}", to_string(job.type));
    if (job.collective->reduces && !nccl_op(job.op))
      return fmt::format("NCCL has no {}", to_string(job.op));
    return {};
  }

  std::unique_ptr<Action> prepare(const Job& job, const Ranges& ranges) const override {
    return std::make_unique<NcclAction>(job, ranges, comm_.handle(), stream_);
  }

 private:
  const DeviceStream& stream_;
  nccl::RawCommunicator comm_;
};

}  // namespace

std::unique_ptr<Contender> make_nccl(const Communicator& communicator, const DeviceStream& stream) {
  return std::make_unique<Nccl>(communicator, stream);
}

}  // namespace tutti::bench
