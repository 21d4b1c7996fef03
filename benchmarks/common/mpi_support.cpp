#include "common/mpi_support.hpp"

#include <fmt/format.h>
#include <tutti/error.hpp>

namespace tutti::bench {

void check_mpi(int code, std::string_view call) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw Error(Errc::mpi, fmt::format("{}: {}", call, text));
}

OwnComm::OwnComm(MPI_Comm comm) {
  check_mpi(MPI_Comm_dup(comm, &comm_), "MPI_Comm_dup");
  MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
}

OwnComm::~OwnComm() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized == 0) MPI_Comm_free(&comm_);
}

}  // namespace tutti::bench
