#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>

#include "tutti/detail/export.hpp"
#include "tutti/device.hpp"

// For those who need NCCL itself. The names that NCCL's own header gives its handles; it is not
// needed.
struct ncclComm;
struct ncclWindow_vidmem;

namespace tutti {

class Communicator;

/// Whether something can be used here, and if not, why.
struct Availability {
  std::string reason;  ///< empty if it can
  explicit operator bool() const noexcept { return reason.empty(); }
};

/// Whether this process can use NCCL: the library, the CUDA runtime, a driver and a device. Opens
/// the libraries; makes no context. Never throws.
TUTTI_API Availability nccl_available() noexcept;

/// Thin wrappers over the library that tutti opened. @throws Error: `library` without it, `nccl`
/// with its result and its last-error text.
namespace nccl {

struct Version {
  int major = 0;
  int minor = 0;
  int patch = 0;
};

/// Of the library that was opened.
TUTTI_API Version version();

/// What ranks share to find one another; used for one communicator only.
class TUTTI_API UniqueId {
 public:
  static constexpr std::size_t size = 128;
  using Bytes = std::array<char, size>;
  UniqueId() noexcept = default;
  explicit UniqueId(const Bytes& bytes) noexcept : bytes_(bytes) {}
  /// A fresh one, made by one rank.
  static UniqueId make();
  const Bytes& bytes() const noexcept { return bytes_; }

 private:
  Bytes bytes_{};
};

/// NCCL's text for one of its results, and its last error on this thread.
TUTTI_API std::string error_text(int result);
TUTTI_API std::string last_error();

/// Calls of NCCL's own between construction and `end` form one group. A group that is not ended by
/// the destructor's time is ended there, quietly.
class TUTTI_API Group {
 public:
  Group();
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  ~Group();
  void end();

 private:
  bool open_ = true;
};

struct Config {
  bool blocking = true;
  int min_ctas = 0;  ///< 0: NCCL's choice
  int max_ctas = 0;
};

/// A communicator of NCCL's, made and destroyed by hand: without MPI, or beside it.
class TUTTI_API RawCommunicator {
 public:
  /// Collective over `size` ranks with the same id; on the current device.
  /// @throws Error (invalid_argument) unless 0 <= rank < size.
  RawCommunicator(int size, const UniqueId& id, int rank, const Config& config = {});
  RawCommunicator(const RawCommunicator&) = delete;
  RawCommunicator& operator=(const RawCommunicator&) = delete;
  ~RawCommunicator();
  ncclComm* handle() const noexcept { return handle_; }
  int rank() const noexcept { return rank_; }
  int size() const noexcept { return size_; }
  /// Ends everything under way, for good. Idempotent, from any thread.
  void abort() noexcept;

 private:
  ncclComm* handle_ = nullptr;
  int rank_;
  int size_;
};

/// Device memory that NCCL knows on every rank at once, which lets its kernels reach the peers'
/// directly ("symmetric memory"), from NCCL 2.27 on. Operations on it are called as on any memory.
/// A `Buffer` is registered for its own rank by itself and needs no window.
class TUTTI_API Window {
 public:
  Window() noexcept = default;
  /// Collective over the communicator, which joins NCCL if it has not. Every rank gives equally
  /// many bytes of its device's memory, from a multiple of 4096 on, that NCCL allocated: a `Buffer`
  /// made with a communicator. The memory must live longer than the window.
  /// @throws Error, on all ranks alike: `unsupported` if NCCL cannot serve or is too old, with the
  ///         version that it takes; `invalid_argument` for memory of any rank's that cannot be one.
  Window(const Communicator& communicator, void* memory, std::size_t bytes);
  /// NCCL's own, for its device code; null in an empty window, and on a machine where NCCL makes no
  /// use of windows.
  ncclWindow_vidmem* handle() const noexcept {
    return static_cast<ncclWindow_vidmem*>(token_.get());
  }

 private:
  std::shared_ptr<void> token_;  // deregisters, unless the communicator has ended before
};

/// The handle that serves a communicator's device operations, borrowed; null while NCCL is not
/// joined. It is gone once the communicator is aborted or destroyed.
TUTTI_API ncclComm* handle_of(const Communicator& communicator);

}  // namespace nccl
}  // namespace tutti
