#pragma once

#include <memory>
#include <vector>

#include "core/bootstrap.hpp"
#include "nccl/functions.hpp"
#include "nccl/single_call.hpp"

namespace tutti::nccl {

/// Joining ended because another rank failed to; that rank tells why.
class PeerFailed : public Error {
 public:
  PeerFailed() : Error(Errc::nccl, "another rank failed to join NCCL") {}
};

/// NCCL's communicators of one tutti communicator: the one that the ranks made together without
/// blocking, so that a rank that does not come is noticed, and the one that works.
///
/// A communicator that does not block gives each operation a thread of its own inside NCCL, which
/// costs more than a small operation. So it works itself only where a deadline was asked for;
/// otherwise a blocking child of it does.
class Handle {
 public:
  /// Enters NCCL; all ranks have met. @throws Error: `nccl` with its words, `timeout`, `aborted`.
  Handle(Bootstrap& bootstrap, const ncclUniqueId& id, int device, Deadline deadline);
  /// Takes over one of several communicators of a process, made or still in the making. Each may be
  /// used by a thread of its own, so none of them serves peers of MPI's while it waits.
  Handle(Bootstrap& bootstrap, ncclComm_t made, int device);
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  /// Finalises and destroys. What has not ended by the deadline is aborted; without a deadline it
  /// is left after two seconds, to end by itself.
  ~Handle();

  ncclComm_t get() const noexcept { return child_ != nullptr ? child_ : root_; }

  /// Makes one call; what it returns is for `settle`. Beside the calls, in single_call.cpp.
  ncclResult_t make(const SingleCall& call, cudaStream_t stream) const;

  /// Waits until one that was taken over is made. @throws as the constructor.
  void await_made(Deadline deadline);
  /// Waits until NCCL has taken what it was given. @throws as the constructor.
  void settle(ncclResult_t result, const char* call, Deadline deadline) {
    if (result != ncclSuccess) [[unlikely]]
      settle_slowly(result, call, deadline);
  }
  /// @throws Error (nccl) if something failed since.
  void check_asynchronous();
  /// Ends everything that is under way; nothing may be called afterwards. Idempotent.
  void abort() noexcept;

 private:
  ncclResult_t exchange(const SingleCall& call, cudaStream_t stream) const;
  ncclConfig_t config(bool blocking) const noexcept;
  void make_child(Deadline deadline);
  void settle_slowly(ncclResult_t result, const char* call, Deadline deadline);
  ncclResult_t poll(ncclComm_t comm, Deadline deadline, const char* call);
  static void end(ncclComm_t comm);
  /// False if it takes longer than patience allows; then it goes on by itself.
  bool bounded(void (*body)(const std::vector<ncclComm_t>&),
               const std::vector<ncclComm_t>& comms) const noexcept;

  Bootstrap& bootstrap_;
  int device_;
  std::chrono::milliseconds patience_;
  bool joining_ = true;
  bool one_of_several_ = false;
  ncclComm_t root_ = nullptr;
  ncclComm_t child_ = nullptr;
};

/// The process is running its exit handlers: NCCL's own state may be gone.
bool exiting() noexcept;

}  // namespace tutti::nccl
