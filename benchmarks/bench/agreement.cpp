#include "bench/agreement.hpp"

#include <fmt/format.h>
#include <tutti/communicator.hpp>

#include <chrono>
#include <thread>

namespace tutti::bench {
namespace {
using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds patience{20};
}  // namespace

std::string Agreement::agree(const std::string& failure) {
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(comm_.get(), &rank);
  MPI_Comm_size(comm_.get(), &size);
  int mine = failure.empty() ? size : rank;
  int lowest = size;
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Iallreduce(&mine, &lowest, 1, MPI_INT, MPI_MIN, comm_.get(), &request),
            "MPI_Iallreduce");
  wait(request, failure);
  if (lowest == size) return {};

  std::string text = failure;
  int length = static_cast<int>(text.size());
  check_mpi(MPI_Bcast(&length, 1, MPI_INT, lowest, comm_.get()), "MPI_Bcast");
  text.resize(static_cast<std::size_t>(length));
  check_mpi(MPI_Bcast(text.data(), length, MPI_CHAR, lowest, comm_.get()), "MPI_Bcast");
  return text;
}

void Agreement::wait(MPI_Request& request, const std::string& failure) const {
  const Clock::time_point begin = Clock::now();
  for (int done = 0;;) {
    check_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done != 0) return;
    const auto waited = Clock::now() - begin;
    if (!failure.empty() && waited > patience)
      end_job(1,
              fmt::format("tutti-bench: this rank failed and the others wait for it: {}", failure));
    // Whoever waits long leaves the core to those who measure.
    if (waited > std::chrono::milliseconds(10))
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace tutti::bench
