#include "common/console.hpp"

#include <fmt/format.h>
#include <mpi.h>
#include <unistd.h>
#include <tutti/communicator.hpp>
#include <tutti/environment.hpp>

#include <cstdio>

namespace tutti::bench {
namespace {

/// Mistakes in what was asked for, which every rank finds alike. Anything else may be one rank's
/// own.
bool is_shared(const Error& error) {
  return error.code() == Errc::invalid_argument || error.code() == Errc::unsupported;
}

int rank_in_world() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

/// No rank leaves before rank 0 has written: mpirun may end the others when one exits with a
/// status.
int leave(int status) {
  std::fflush(nullptr);
  MPI_Barrier(MPI_COMM_WORLD);
  return status;
}

}  // namespace

Console::Console(std::string tool, bool speaks)
    : tool_(std::move(tool)), speaks_(speaks), watched_(speaks && isatty(STDERR_FILENO) != 0) {}

void Console::note(const std::string& text) const {
  if (speaks_) fmt::print(stderr, "{}: {}\n", tool_, text);
}

void Console::progress(const std::string& text) const {
  if (watched_) fmt::print(stderr, "\r\033[K{}", text);
}

int run_tool(const char* tool, int argc, char** argv, const std::function<int()>& main) {
  try {
    const Environment mpi(argc, argv);
    try {
      return leave(main());
    } catch (const Error& error) {
      if (!is_shared(error)) end_job(1, fmt::format("{}: {}", tool, error.what()));
      if (rank_in_world() == 0) fmt::print(stderr, "{}: {}\n", tool, error.what());
      return leave(1);
    } catch (const std::exception& error) {
      end_job(1, fmt::format("{}: {}", tool, error.what()));
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", tool, error.what());
    return 1;
  }
}

}  // namespace tutti::bench
