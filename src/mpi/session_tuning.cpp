#include "mpi/call.hpp"
#include "mpi/session.hpp"

namespace tutti::mpi {

std::string Session::tuning_text(std::optional<Error>& failure) const {
  if (rank_ != 0 || failure) return {};
  try {
    return node::read_tuning();
  } catch (const Error& error) {
    failure = error;
    return {};
  }
}

// Rank 0's, so that neither a file that differs between nodes nor one that changes meanwhile can
// send ranks different ways.
void Session::share_tuning(const std::string& text, Deadline deadline) {
  constexpr const char* late = "rank 0 had not told its TUTTI_TUNE when the deadline passed";
  const auto length = std::make_shared<int>(static_cast<int>(text.size()));
  MPI_Request request = MPI_REQUEST_NULL;
  TUTTI_MPI(MPI_Ibcast(length.get(), 1, MPI_INT, 0, comm_, &request));
  finish(request, length, deadline, late);
  if (*length == 0) return;
  const auto all = std::make_shared<std::string>(text);
  all->resize(static_cast<std::size_t>(*length));
  TUTTI_MPI(MPI_Ibcast(all->data(), *length, MPI_CHAR, 0, comm_, &request));
  finish(request, all, deadline, late);
  tuning_ = std::make_shared<node::Tuning>(node::parse_tuning(*all));
}

}  // namespace tutti::mpi
