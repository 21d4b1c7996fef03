// Ranks are killed one after the other; each time those that are left shrink the application's
// communicator, as MPIs with user-level failure mitigation can, and go on with a new one of
// tutti's. The last two end as usual.
#include <mpi.h>
// After mpi.h, whose names it uses.
#include <mpi-ext.h>

#include <chrono>
#include <csignal>
#include <cstdio>

#include "support/program.hpp"
#include "tutti/environment.hpp"

using namespace tutti::test;
using namespace std::chrono_literals;

namespace {

tutti::Options with_timeout() {
  tutti::Options options;
  options.timeout = 3s;
  return options;
}

void require_all_works(const tutti::Communicator& world) {
  for (int i = 0; i < 20; ++i) require_works(world);
  const int n = world.size();
  std::vector<double> large(100000, world.rank());
  world.all_reduce(large);
  require(large.back() == n * (n - 1) / 2, "a large all_reduce is wrong");
  std::vector<int> ranks(static_cast<std::size_t>(n));
  ranks[static_cast<std::size_t>(world.rank())] = world.rank();
  world.all_gather(ranks);
  for (int r = 0; r < n; ++r)
    require(ranks[static_cast<std::size_t>(r)] == r, "all_gather is wrong");
  require_works(world.split(world.rank() % 2));
  world.barrier();
}

// The last rank dies in the middle of what the others do.
void lose_one(const tutti::Communicator& world) {
  if (world.rank() == world.size() - 1) std::raise(SIGKILL);
  try {
    for (;;) require_works(world);
  } catch (const tutti::Error& error) {
    std::fprintf(stderr, "lost one: %s\n", error.what());
    const tutti::Errc code = error.code();
    require(code == tutti::Errc::broken || code == tutti::Errc::timeout || code == tutti::Errc::mpi,
            error.what());
  }
  error_of([&] { world.barrier(); }, tutti::Errc::broken);
}

MPI_Comm without_the_dead(MPI_Comm comm) {
  MPIX_Comm_revoke(comm);
  MPI_Comm survivors = MPI_COMM_NULL;
  require(MPIX_Comm_shrink(comm, &survivors) == MPI_SUCCESS, "MPIX_Comm_shrink failed");
  MPI_Comm_set_errhandler(survivors, MPI_ERRORS_RETURN);
  return survivors;
}

}  // namespace

int main(int argc, char** argv) {
  tutti::Environment environment(argc, argv);
  require_expected_size();
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm comm = MPI_COMM_WORLD;
  int left = 0;
  for (MPI_Comm_size(comm, &left); left > 1; MPI_Comm_size(comm, &left)) {
    const tutti::Communicator world(comm, with_timeout());
    require_all_works(world);
    if (left == 2) break;
    lose_one(world);
    comm = without_the_dead(comm);
  }
  std::fprintf(stderr, "the last %d are through\n", left);
  return 0;
}
