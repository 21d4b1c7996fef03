#pragma once

#include <mpi.h>

#include <optional>
#include <utility>
#include <vector>

#include "mpi/schedule.hpp"
#include "tutti/error.hpp"

namespace tutti::mpi {

/// Works through a schedule. @throws Error (mpi) when a call fails, (mismatch) when messages were
/// shorter than expected: only at the end, so that no other rank is left waiting.
class Execution {
 public:
  Execution(MPI_Comm comm, const Schedule& schedule) noexcept : comm_(comm), schedule_(&schedule) {}

  /// From the first step to the last, by MPI's blocking calls.
  void run();

  /// Begins again: everything up to the first local step is under way on return.
  void start();
  /// Does what is left after `start`, blocking.
  void finish();
  /// Never blocks; true once the last step is done.
  bool advance();
  /// To be called once `advance` is true. @throws Error (mismatch)
  void throw_mismatch() const;
  /// MPI still works on something.
  bool under_way() const noexcept { return !requests_.empty(); }
  /// What it works on; the schedule's memory must outlive that.
  std::vector<MPI_Request> give_up() noexcept { return std::exchange(requests_, {}); }

 private:
  void post_until_local();
  bool finish_requests();
  void await_requests();
  void post_message(const Step& step);
  /// Does the messages that are next, if they are one in each direction at most, by one blocking
  /// call, and leaves `next_` at the last of them; otherwise false.
  bool exchange_here();
  void note(const std::optional<Error>& mismatch);
  void compute(const Step& step);
  void check_all(int code, const char* name) const;
  void check_received(std::size_t request, const MPI_Status& status);

  MPI_Comm comm_;
  const Schedule* schedule_;
  std::size_t next_ = 0;
  std::vector<MPI_Request> requests_;
  std::vector<MPI_Status> statuses_;
  std::vector<const Step*> posted_;
  std::optional<Error> mismatch_;  // the first one
};

}  // namespace tutti::mpi
