// Case 33: ranks that share one core. A wait that spins without letting the others run would take
// a time slice, some milliseconds, for each step of each operation.
#include <sched.h>

#include <chrono>

#include "support/program.hpp"
#include "tutti/environment.hpp"

using namespace tutti::test;

namespace {

// The first core that this process may use.
void stay_on_one_core() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  require(sched_getaffinity(0, sizeof allowed, &allowed) == 0, "sched_getaffinity");
  int core = 0;
  while (core < CPU_SETSIZE && !CPU_ISSET(core, &allowed)) ++core;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  require(sched_setaffinity(0, sizeof one, &one) == 0, "sched_setaffinity");
}

}  // namespace

int main(int argc, char** argv) {
  stay_on_one_core();
  // Open MPI would let others run by itself, as long as it knows that ranks outnumber cores.
  setenv("OMPI_MCA_mpi_yield_when_idle", "0", 1);
  tutti::Environment environment(argc, argv);
  require_expected_size();
  const tutti::Communicator world(MPI_COMM_WORLD);
  constexpr int works = 1000;
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < works; ++i) {
    std::vector<int> data{i};
    world.start(tutti::all_reduce(data, tutti::sum)).wait();
    require(data[0] == i * world.size(), "all_reduce is wrong");
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  if (world.rank() == 0) std::printf("%d works in %.3f s\n", works, seconds.count());
  require(seconds.count() < 20, "started works are too slow where ranks share a core");
  return 0;
}
