#pragma once

#include <atomic>
#include <exception>
#include <memory>
#include <vector>

#include "mpi/execution.hpp"
#include "mpi/session.hpp"
#include "tutti/backend.hpp"

namespace tutti::mpi {

/// A group of operations prepared as one schedule each, all under way together.
class OperationTask : public Task {
 public:
  OperationTask(std::shared_ptr<Session> session, OperationList operations);
  ~OperationTask() override;

  void run(Deadline deadline) override;
  void start() override;
  bool test() override;
  bool wait(Deadline deadline) override;
  void enqueue(cudaStream_t stream, Deadline deadline) override;
  bool join(cudaStream_t stream, Deadline deadline) override;

  /// For other waits: moves on if nobody else is at it. Keeps a failure for `test` and `wait`.
  void advance_in_passing() noexcept;

 private:
  bool advance_alone();
  bool advance();
  void join_progress();
  void leave_progress() noexcept;

  std::shared_ptr<Session> session_;
  std::vector<std::unique_ptr<Schedule>> schedules_;
  std::vector<Execution> executions_;
  std::exception_ptr failure_;
  std::atomic_flag busy_ = ATOMIC_FLAG_INIT;
  bool done_ = true;
  bool in_progress_ = false;
};

}  // namespace tutti::mpi
