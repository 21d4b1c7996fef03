#pragma once

#include <memory>

#include "core/bootstrap.hpp"
#include "nccl/functions.hpp"

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
  /// Takes over a blocking communicator that was made already.
  Handle(Bootstrap& bootstrap, ncclComm_t made, int device);
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  /// Finalises and destroys within a deadline; what does not end by then is left.
  ~Handle();

  ncclComm_t get() const noexcept { return child_ != nullptr ? child_ : root_; }

  /// Waits until NCCL has taken what it was given. @throws as the constructor.
  void settle(ncclResult_t result, const char* call, Deadline deadline);
  /// @throws Error (nccl) if something failed since.
  void check_asynchronous();
  /// Ends everything that is under way; nothing may be called afterwards. Idempotent.
  void abort() noexcept;

 private:
  ncclConfig_t config(bool blocking) const noexcept;
  void make_child(Deadline deadline);
  ncclResult_t poll(ncclComm_t comm, Deadline deadline, const char* call);
  void finish(ncclComm_t comm) noexcept;
  bool bounded(ncclResult_t (*call)(ncclComm_t), ncclComm_t comm, const char* name) const noexcept;

  Bootstrap& bootstrap_;
  int device_;
  std::chrono::milliseconds patience_;
  bool joining_ = true;
  ncclComm_t root_ = nullptr;
  ncclComm_t child_ = nullptr;
};

/// The process is running its exit handlers: NCCL's own state may be gone.
bool exiting() noexcept;

}  // namespace tutti::nccl
