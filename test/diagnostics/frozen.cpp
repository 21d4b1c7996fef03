// A loop of all_reduce in which the last rank stops itself, as a debugger or a broken machine would
// stop it. Told on standard error: each rank's process, the moment of the stop, each rank's error.
#include <unistd.h>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "support/program.hpp"
#include "tutti/environment.hpp"

using namespace tutti::test;

namespace {

void tell(const std::string& line) {
  const std::string whole = line + '\n';
  [[maybe_unused]] const auto written = write(STDERR_FILENO, whole.data(), whole.size());
}

}  // namespace

int main(int argc, char** argv) try {
  tutti::Environment environment(argc, argv);
  require_expected_size();
  const tutti::Communicator world(MPI_COMM_WORLD);
  std::vector<int> data(4, 1);
  tell("process " + std::to_string(getpid()));
  for (int i = 0; i < 2000; ++i) world.all_reduce(data, tutti::max);
  world.barrier();
  if (world.rank() == world.size() - 1) {
    tell("stopping");
    raise(SIGSTOP);
  }
  for (;;) world.all_reduce(data, tutti::max);
} catch (const tutti::Error& error) {
  tell(error.what());
  return 3;
}
