#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "tutti/device.hpp"
#include "tutti/operation.hpp"

namespace tutti {

/// The moment at which waiting ends with Errc::timeout; none by default.
class Deadline {
 public:
  using Clock = std::chrono::steady_clock;
  Deadline() = default;
  explicit Deadline(Clock::time_point when) noexcept : when_(when), set_(true) {}
  /// Durations beyond what the clock can count end with it.
  static Deadline in(std::chrono::nanoseconds duration) {
    const Clock::time_point now = Clock::now();
    return Deadline(duration > Clock::time_point::max() - now ? Clock::time_point::max()
                                                              : now + duration);
  }
  bool set() const noexcept { return set_; }
  bool earlier_than(const Deadline& other) const noexcept {
    return set_ && (!other.set_ || when_ < other.when_);
  }
  bool passed() const { return set_ && Clock::now() >= when_; }

 private:
  Clock::time_point when_{};
  bool set_ = false;
};

/// A prepared group of operations, started as often as wanted, one time after the other.
/// Destroying a started task is allowed only when it is done or the backend is broken.
/// Not thread-safe.
class Task {
 public:
  virtual ~Task() = default;
  /// `start` and `wait` in one. @throws Error (timeout) if the deadline passed before it was done.
  virtual void run(Deadline deadline) = 0;
  /// Begins; must not be called again before it is done.
  virtual void start() = 0;
  /// Makes progress, never blocks; true once done.
  virtual bool test() = 0;
  /// Blocks the host until done; false if the deadline passed before. @throws Error if it failed.
  virtual bool wait(Deadline deadline) = 0;
  /// Puts it on a CUDA stream, after what is there already. What a device cannot do by itself is
  /// done before this returns, still in the stream's order. @throws Error (unsupported) for host
  /// memory.
  virtual void enqueue(cudaStream_t stream, Deadline deadline) = 0;
  /// What is put on the stream from now on runs after the task that was started. A task of the host
  /// is waited for; false if the deadline passed before.
  virtual bool join(cudaStream_t stream, Deadline deadline) = 0;
};

/// Whether a backend can do an operation, and if not, why.
struct Support {
  bool yes = true;
  std::string reason;  ///< empty when yes
  explicit operator bool() const noexcept { return yes; }
};

/// One way to do operations among the ranks of one communicator. Operations that reach a backend
/// have been checked: memory, counts, roots and the reduction are valid, in-place operations have
/// both sides set to the memory that they use (see `resolve` in src/core/check.hpp). One thread at
/// a time.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string_view name() const noexcept = 0;
  virtual int rank() const noexcept = 0;
  virtual int size() const noexcept = 0;
  /// The truth about what `run` and `prepare` can do; equal on all ranks for equal operations.
  virtual Support supports(const Operation& operation) const = 0;
  /// The algorithm that would serve, in a few words.
  virtual std::string algorithm(const Operation& operation) const = 0;
  /// Does the group and returns when its results are in place. @throws Error
  virtual void run(OperationList operations, Deadline deadline) = 0;
  /// Prepares the group; the operations' memory, counts and reductions must outlive the task.
  virtual std::unique_ptr<Task> prepare(OperationList operations) = 0;
  /// `prepare` and the task's `enqueue` in one. The memory must live until the stream has passed
  /// it.
  virtual void enqueue(OperationList operations, cudaStream_t stream, Deadline deadline) = 0;
};

}  // namespace tutti
