#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mpi/session.hpp"
#include "tutti/backend.hpp"
#include "tutti/communicator.hpp"

namespace tutti {

/// Decides which backend serves an operation. The only place that knows all backends.
class Dispatch {
 public:
  explicit Dispatch(std::shared_ptr<mpi::Session> session);

  /// The backend for a resolved operation. @throws Error (unsupported) with every backend's reason.
  Backend& backend_for(const Operation& operation) const;

  Choice choose(const Operation& operation) const;

  /// Does a resolved group; all of it is under way together, whatever backends serve it.
  void run(OperationList group, Deadline deadline) const;
  std::unique_ptr<Task> prepare(OperationList group) const;

 private:
  /// Why the backends that come before the one that serves it do not.
  std::string reasons_against(const Operation& operation) const;
  bool same_backend(OperationList group) const;

  std::shared_ptr<mpi::Session> session_;
  std::vector<std::unique_ptr<Backend>> backends_;  ///< in order of preference
};

}  // namespace tutti
