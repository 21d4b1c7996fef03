#pragma once

#include <mpi.h>

#include <vector>

#include "mpi/schedule.hpp"

namespace tutti::mpi {

/// Works through a schedule. @throws Error (mpi) when a call fails.
class Execution {
 public:
  Execution(MPI_Comm comm, const Schedule& schedule) noexcept : comm_(comm), schedule_(&schedule) {}

  /// From the first step to the last, by MPI's blocking calls.
  void run();

  /// Begins again: everything up to the first local step is under way on return.
  void start();
  /// Never blocks; true once the last step is done.
  bool advance();
  /// MPI has nothing under way for it.
  bool idle() const noexcept { return requests_.empty(); }

 private:
  void post_until_local();
  bool finish_requests();
  void await_requests();
  void post_message(const Step& step);
  void compute(const Step& step);
  void check_all(int code, const char* name) const;
  void check_received(std::size_t request, const MPI_Status& status) const;

  MPI_Comm comm_;
  const Schedule* schedule_;
  std::size_t next_ = 0;
  std::vector<MPI_Request> requests_;
  std::vector<MPI_Status> statuses_;
  std::vector<const Step*> posted_;
};

}  // namespace tutti::mpi
