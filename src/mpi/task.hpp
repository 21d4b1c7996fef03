#pragma once

#include <memory>
#include <vector>

#include "mpi/execution.hpp"
#include "mpi/session.hpp"
#include "tutti/backend.hpp"

namespace tutti::mpi {

/// A group of operations prepared as one schedule each, all under way together. Everything that has
/// to pass between ranks is in MPI's hands as soon as the task is started, so that it moves on
/// whenever anybody calls MPI, as MPI's own non-blocking collectives do.
class OperationTask : public Task {
 public:
  OperationTask(std::shared_ptr<Session> session, OperationList operations);
  OperationTask(const OperationTask&) = delete;
  OperationTask& operator=(const OperationTask&) = delete;
  ~OperationTask() override;

  void run(Deadline deadline) override;
  void start() override;
  bool test() override;
  bool wait(Deadline deadline) override;
  void enqueue(cudaStream_t stream, Deadline deadline) override;
  bool join(cudaStream_t stream, Deadline deadline) override;

  /// @throws Error (invalid_argument) while it is under way.
  void require_done() const;

 private:
  std::shared_ptr<Session> session_;
  std::vector<std::shared_ptr<Schedule>> schedules_;
  std::vector<Execution> executions_;
  bool begun_ = false;  // and not done
};

}  // namespace tutti::mpi
