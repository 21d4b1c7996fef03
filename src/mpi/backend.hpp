#pragma once

#include <memory>

#include "mpi/execution.hpp"
#include "mpi/session.hpp"
#include "tutti/backend.hpp"

namespace tutti::mpi {

/// Host memory through the MPI library's collectives and messages, with tutti's arithmetic.
class MpiBackend : public Backend {
 public:
  explicit MpiBackend(std::shared_ptr<Session> session);

  std::string_view name() const noexcept override { return "mpi"; }
  int rank() const noexcept override { return session_->rank(); }
  int size() const noexcept override { return session_->size(); }
  Support supports(const Operation& operation) const override;
  std::string algorithm(const Operation& operation) const override;
  void run(OperationList operations, Deadline deadline) override;
  std::unique_ptr<Task> prepare(OperationList operations) override;
  void enqueue(OperationList operations, cudaStream_t stream, Deadline deadline) override;

 private:
  /// Without a deadline by MPI's blocking calls.
  void run_messages(OperationList operations, Deadline deadline);
  /// What the schedule holds.
  void run_until(Deadline deadline);

  std::shared_ptr<Session> session_;
  // Kept from call to call, so that a small operation allocates nothing.
  Schedule schedule_;
  Execution execution_;
};

}  // namespace tutti::mpi
