#include "mpi/node/task.hpp"

namespace tutti::mpi::node {

void NodeTask::run(Deadline deadline) {
  if (by_mpi_) by_mpi_->require_done();
  if (backend_.run_here(operation_, route_, deadline)) return;
  backend_.leave_to_mpi();
  by_mpi().run(deadline);
}

OperationTask& NodeTask::by_mpi() {
  if (!by_mpi_) by_mpi_ = std::make_unique<OperationTask>(session_, operation_);
  return *by_mpi_;
}

}  // namespace tutti::mpi::node
