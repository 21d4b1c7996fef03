#pragma once

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "tutti/communicator.hpp"

// For test programs that tell the story of a whole process, where a test framework would be in the
// way: before MPI_Init, after MPI_Finalize, around fork and exit.
namespace tutti::test {

[[noreturn]] inline void fail(const std::string& why) {
  std::fprintf(stderr, "FAILED: %s\n", why.c_str());
  std::fflush(stderr);
  int initialized = 0, finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  if (initialized != 0 && finalized == 0) MPI_Abort(MPI_COMM_WORLD, 1);
  std::_Exit(1);
}

inline void require(bool condition, const std::string& what) {
  if (!condition) fail(what);
}

inline void require_in(const std::string& text, const std::string& word) {
  require(text.find(word) != std::string::npos, "'" + word + "' is not in: " + text);
}

/// The size that run_mpi.sh started; one without it.
inline void require_expected_size() {
  const char* const variable = std::getenv("RUN_MPI_RANKS");
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  require(size == (variable != nullptr ? std::atoi(variable) : 1), "the launcher is another MPI's");
}

inline void require_works(const Communicator& communicator) {
  std::vector<int> data{communicator.rank() + 1};
  communicator.all_reduce(data, sum);
  const int n = communicator.size();
  require(data[0] == n * (n + 1) / 2, "all_reduce is wrong");
}

/// The text of the tutti::Error that the call must throw.
template <class Call>
std::string error_of(Call call, Errc expected) {
  try {
    call();
  } catch (const Error& error) {
    require(error.code() == expected, "wrong code: " + std::string(error.what()));
    return error.what();
  }
  fail("no error was thrown");
}

}  // namespace tutti::test
