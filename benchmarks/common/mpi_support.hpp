#pragma once

#include <mpi.h>

#include <string_view>

namespace tutti::bench {

/// @throws tutti::Error (mpi) with MPI's own words unless `code` is MPI_SUCCESS.
void check_mpi(int code, std::string_view call);

/// A duplicate of a communicator, with errors returned; freed with the object.
class OwnComm {
 public:
  explicit OwnComm(MPI_Comm comm);
  OwnComm(const OwnComm&) = delete;
  OwnComm& operator=(const OwnComm&) = delete;
  ~OwnComm();
  MPI_Comm get() const noexcept { return comm_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

}  // namespace tutti::bench
