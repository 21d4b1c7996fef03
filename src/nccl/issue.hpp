#pragma once

#include <vector>

#include "core/block_layout.hpp"
#include "cuda/stream.hpp"
#include "nccl/handle.hpp"
#include "nccl/table.hpp"

namespace tutti::nccl {

/// Puts operations on a stream as NCCL calls, all of them in one group: nothing has begun before
/// `issue` returns, and then all of it is on the stream.
class Issuer {
 public:
  /// `barrier_word`: four bytes on the device.
  Issuer(Handle& handle, int rank, int size, cuda::StreamHandle stream, void* barrier_word,
         Deadline deadline) noexcept
      : handle_(handle),
        rank_(rank),
        size_(size),
        stream_(stream),
        word_(barrier_word),
        deadline_(deadline) {}
  Issuer(const Issuer&) = delete;
  Issuer& operator=(const Issuer&) = delete;
  ~Issuer();

  void issue(OperationList operations);
  /// Within a group that the caller opened and ends before this object goes.
  void issue_within_group(OperationList operations);

 private:
  void issue_together(OperationList operations);
  bool needs_group(OperationList operations) const noexcept;
  void open_group();
  void close_group();
  void call(ncclResult_t result, const char* name);
  void one(const Operation& operation);

  void reduction(const Operation& op);
  void uneven_reduce_scatter(const Operation& op, const Reduction& how, ncclRedOp_t with);
  void broadcast(const Operation& op);
  void all_gather(const Operation& op);
  void gather(const Operation& op);
  void scatter(const Operation& op);
  void all_to_all(const Operation& op);
  void barrier();
  ncclRedOp_t make_operator(const Operation& op, const Reduction& how);

  void send(const MemoryView& side, std::size_t offset, std::size_t count, int peer);
  void receive(const MemoryView& side, std::size_t offset, std::size_t count, int peer);
  /// This rank's own block, which takes no message.
  void copy(const MemoryView& from, std::size_t from_offset, const MemoryView& to,
            std::size_t to_offset, std::size_t count);
  /// Between two steps that every rank counts alike: a group takes only so many calls.
  void step_done();
  const void* apart(const Operation& op);

  Handle& handle_;
  int rank_;
  int size_;
  cuda::StreamHandle stream_;
  void* word_;
  Deadline deadline_;
  bool grouped_ = false;
  bool within_ = false;
  bool alone_ = true;
  int steps_ = 0;
  std::vector<ncclRedOp_t> operators_;
  std::vector<void*> scratch_;
};

}  // namespace tutti::nccl
