#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/bootstrap.hpp"
#include "nccl/single_call.hpp"
#include "tutti/backend.hpp"
#include "tutti/device.hpp"
#include "tutti/nccl.hpp"

namespace tutti::nccl {

/// The NCCL backend, as dispatch sees it: needs no header of NCCL's, and in a build without them
/// unavailable.cpp is behind it.
class NcclBackend : public Backend {
 public:
  enum class State {
    apart,  ///< not joined yet
    joined,
    unavailable,  ///< it cannot be, on some rank; the same on all ranks once they have met
  };

  State state() const noexcept { return state_; }
  /// `supports` without the words.
  virtual bool serves(const Operation& operation) const = 0;
  /// The call that serves a resolved operation, if it is one that `repeat` can make; only where it
  /// is joined and serves.
  virtual std::optional<SingleCall> repeatable(const Operation& operation) const = 0;
  /// Enqueues what an operation came to before. False, and nothing is done, on a default stream.
  virtual bool repeat(const SingleCall& call, cudaStream_t stream) = 0;
  /// Why it is unavailable, or cannot be joined as far as this rank knows; empty otherwise.
  virtual std::string reason() const = 0;
  /// This rank's device; none without one.
  virtual Device device() const = 0;
  /// The same if it was chosen already; never looks for one.
  virtual Device chosen_device() const noexcept = 0;
  /// Collective. Afterwards it is joined, or unavailable, on all ranks alike.
  /// @throws Error, on all ranks alike: the failure of one of them to join, and whatever makes it
  ///         unavailable if Options::nccl is required. It may be called again.
  virtual void join(Deadline deadline) = 0;
  /// True, once, if the last `join` failed on all ranks together, which leaves the communicator
  /// whole.
  virtual bool take_failed_together() noexcept = 0;
  /// Ends everything that is under way, for good. Idempotent.
  virtual void give_up() noexcept = 0;
  /// Registered with NCCL whenever it is joined, until the token goes.
  virtual std::shared_ptr<void> register_memory(void* memory, std::size_t bytes) = 0;
  /// Collective; joins. A window of NCCL's until the token goes, which holds its handle.
  /// @throws Error, on all ranks alike: `unsupported` with the reason, `invalid_argument` for the
  ///         memory that a rank gives.
  virtual std::shared_ptr<void> register_window(void* memory, std::size_t bytes,
                                                Deadline deadline) = 0;
  /// NCCL's own handle; null unless joined.
  virtual ncclComm* raw_handle() const noexcept = 0;

 protected:
  State state_ = State::apart;
};

/// `device`: that of a parent communicator; none: chosen when first needed, once for a process.
std::unique_ptr<NcclBackend> make_backend(std::shared_ptr<Bootstrap> bootstrap, Device device);

}  // namespace tutti::nccl
