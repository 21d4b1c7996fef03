#pragma once

#include <chrono>
#include <memory>

#include "tutti/detail/export.hpp"
#include "tutti/device.hpp"

namespace tutti {

class Communicator;

/// Operations under way, from `Communicator::start`. Keeps its communicator alive. Destroying it
/// waits. Movable; a default-made or moved-from Work is done. One thread at a time.
class [[nodiscard]] TUTTI_API Work {
 public:
  Work() noexcept;
  Work(Work&&) noexcept;
  Work& operator=(Work&&) noexcept;  ///< waits for what it held
  ~Work();

  /// Blocks the host until the results are in place. @throws Error if the operation failed.
  void wait();
  /// As `wait`, for at most `duration`; true if done. Time running out is no failure.
  bool wait_for(std::chrono::nanoseconds duration);
  /// True if done; never blocks, makes progress.
  bool test();
  /// What is put on the stream from now on runs after it; the host does not wait, unless it works
  /// on host memory or is staged through it. Afterwards `wait` still tells whether it failed.
  void join(cudaStream_t stream);

 private:
  friend class Communicator;
  friend class Plan;
  struct State;
  explicit Work(std::unique_ptr<State> state) noexcept;
  template <class Call>
  bool finish(Call&& call);
  std::unique_ptr<State> state_;
};

/// Operations prepared once and done as often as wanted, from `Communicator::plan`. Keeps its
/// communicator alive and copies of block counts and offsets; memory and reductions stay the
/// caller's. Collective like the operations in it. One thread at a time.
class [[nodiscard]] TUTTI_API Plan {
 public:
  Plan() noexcept;
  Plan(Plan&&) noexcept;
  Plan& operator=(Plan&&) noexcept;
  ~Plan();

  /// Does it; on return the results are there. @throws Error
  void run();
  /// Begins it; the Work must be done before the next `run` or `start`. It may outlive the Plan.
  Work start();
  /// Puts it on a CUDA stream: see Communicator::enqueue.
  void enqueue(cudaStream_t stream);

 private:
  friend class Communicator;
  struct State;
  explicit Plan(std::unique_ptr<State> state) noexcept;
  std::unique_ptr<State> state_;
};

}  // namespace tutti
