#pragma once

#include <memory>

#include "mpi/node/backend.hpp"
#include "mpi/task.hpp"

namespace tutti::mpi::node {

/// One collective, decided about once. `run` goes the way that the backend's `run` does.
///
/// What is started goes through MPI: it has to move on whenever a rank calls MPI, in whatever
/// operation, and a rank that calls nothing must hold up nobody. In the shared memory ranks count
/// their steps alike and read one another's slots inside the operation alone: one that has started
/// but does not wait yet would keep its slots from being written again, and all others from going
/// on.
class NodeTask final : public Task {
 public:
  /// The backend outlives it, and so does what the operation views.
  NodeTask(NodeBackend& backend, std::shared_ptr<Session> session, const Operation& operation)
      : backend_(backend),
        session_(std::move(session)),
        operation_(operation),
        route_(backend.route_of(operation_)) {}

  void run(Deadline deadline) override;
  void start() override { by_mpi().start(); }
  bool test() override { return by_mpi().test(); }
  bool wait(Deadline deadline) override { return by_mpi().wait(deadline); }
  void enqueue(cudaStream_t stream, Deadline deadline) override {
    by_mpi().enqueue(stream, deadline);
  }
  bool join(cudaStream_t stream, Deadline deadline) override {
    return by_mpi().join(stream, deadline);
  }

 private:
  /// Made when it is first asked for, which all ranks do alike.
  OperationTask& by_mpi();

  NodeBackend& backend_;
  std::shared_ptr<Session> session_;
  Operation operation_;
  Route route_;
  std::unique_ptr<OperationTask> by_mpi_;
};

}  // namespace tutti::mpi::node
