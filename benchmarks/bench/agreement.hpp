#pragma once

#include <mpi.h>

#include <exception>
#include <string>

#include "common/mpi_support.hpp"

namespace tutti::bench {

/// What went wrong in `function` on this rank; empty if nothing did.
template <class Function>
std::string attempt(Function&& function) {
  try {
    function();
    return {};
  } catch (const std::exception& error) {
    return *error.what() != '\0' ? error.what() : "unknown error";
  }
}

/// Makes a failure on some ranks known to all, apart from the communicator that is measured. Not
/// thread-safe.
class Agreement {
 public:
  explicit Agreement(MPI_Comm comm) : comm_(comm) {}

  /// Collective: the failure of the lowest rank that has one; empty if none has. A failed rank
  /// whose partners do not come within seconds, because they wait for it elsewhere, ends the job.
  std::string agree(const std::string& failure);

 private:
  void wait(MPI_Request& request, const std::string& failure) const;
  OwnComm comm_;
};

}  // namespace tutti::bench
