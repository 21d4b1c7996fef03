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
  ~Issuer() {
    if (grouped_ || !operators_.empty() || !scratch_.empty()) [[unlikely]]
      clean_up();
  }

  void issue(OperationList operations) {
    if (operations.size() != 1 || !is_single_call(operations.front()))
      return issue_in_rounds(operations);
    one(operations.front());
  }
  /// Within a group that the caller opened and ends before this object goes.
  void issue_within_group(OperationList operations);

 private:
  [[gnu::noinline]] void clean_up() noexcept;
  [[gnu::noinline]] void issue_in_rounds(OperationList operations);
  void issue_together(OperationList operations);
  void open_group();
  void close_group();
  void call(const SingleCall& single) {
    const ncclResult_t result = handle_.make(single, stream_);
    if (result != ncclSuccess) [[unlikely]]
      settle(result, name_of(single));
  }
  void settle(ncclResult_t result, const char* name);
  [[gnu::hot]] void one(const Operation& operation);
  [[gnu::hot]] void one_call(const Operation& operation);

  // What takes several calls.
  void uneven_reduce_scatter(const Operation& op);
  void all_gather(const Operation& op);
  void gather(const Operation& op);
  void scatter(const Operation& op);
  void all_to_all(const Operation& op);
  [[gnu::noinline]] ncclRedOp_t make_operator(const Operation& op);

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
