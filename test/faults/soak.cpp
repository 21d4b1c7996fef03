// Many mixed small operations, then many communicators made and destroyed: the memory, the file
// descriptors and the MPI handles of the process stay what they are.
//   soak OPERATIONS COMMUNICATORS
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "faults/handles.hpp"
#include "support/program.hpp"
#include "tutti/tutti.hpp"

namespace {

using namespace tutti::test;
using tutti::Communicator;

struct Use {
  long kib;  // of memory, resident
  long descriptors;
  int handles;
};

Use use() {
  long size = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> size >> resident;
  const std::filesystem::directory_iterator open("/proc/self/fd");
  return {resident * (sysconf(_SC_PAGESIZE) / 1024), std::distance(begin(open), end(open)),
          tutti::faults::handles()};
}

class Soak {
 public:
  explicit Soak(const Communicator& world) : n_(static_cast<std::size_t>(world.size())) {}

  // All kinds, all verbs, results checked, refused calls among them.
  void mixed(const Communicator& world, std::size_t turn) {
    ones_.assign(n_, 1);
    switch (turn % 16) {
      case 0:
        world.all_reduce(ones_, tutti::sum);
        return require(ones_[0] == world.size(), "all_reduce");
      case 1:
        return world.reduce(ones_, tutti::max, 0);
      case 2:
        return world.broadcast(ones_, world.size() - 1);
      case 3:
        return world.all_gather(one_, ones_);
      case 4:
        return world.reduce_scatter(ones_, one_);
      case 5:
        return world.gather(one_, ones_, 0);
      case 6:
        return world.scatter(ones_, one_, 0);
      case 7:
        return world.all_to_all(ones_, other_);
      case 8:
        return world.scan(ones_, other_);
      case 9:
        return world.exclusive_scan(ones_, other_);
      case 10:
        return around(world);
      case 11:
        return world.barrier();
      default:
        return otherwise(world, turn);
    }
  }

 private:
  void around(const Communicator& world) {
    const int next = (world.rank() + 1) % world.size();
    const int before = (world.rank() + world.size() - 1) % world.size();
    world.send_recv(ones_, next, other_, before, 3);
  }

  void otherwise(const Communicator& world, std::size_t turn) {
    switch (turn % 16) {
      case 12:
        return world.start(tutti::all_reduce(halves_, tutti::max)).wait();
      case 13:
        return world.run({tutti::all_reduce(ones_), tutti::broadcast(other_, 0)});
      case 14: {
        tutti::Plan plan = world.plan(tutti::all_gather(one_, ones_, tutti::Blocks(counts_)));
        plan.run();
        return plan.run();
      }
      default:
        error_of([&] { world.broadcast(ones_, -1); }, tutti::Errc::invalid_argument);
    }
  }

  std::size_t n_;
  std::vector<int> one_{1};
  std::vector<int> ones_ = std::vector<int>(n_, 1), other_ = ones_;
  std::vector<tutti::float16> halves_ = std::vector<tutti::float16>(3, tutti::float16(1.0F));
  std::vector<std::size_t> counts_ = std::vector<std::size_t>(n_, 1);
};

void communicators(const Communicator& world, Soak& soak) {
  const Communicator second(MPI_COMM_WORLD), half = world.split(world.rank() % 2),
                                             same = second.duplicate();
  for (std::size_t turn = 0; turn < 16; ++turn) soak.mixed(turn % 2 == 0 ? second : same, turn);
  tutti::Options options;
  options.max_count = static_cast<std::size_t>(world.rank() + 1);
  if (world.size() > 1)
    error_of([&] { const Communicator refused(MPI_COMM_WORLD, options); }, tutti::Errc::mismatch);
}

// A tenth of the turns fills what is kept; what is used then must do for the others.
template <class Step>
void constant(const Communicator& world, const char* what, std::size_t turns, Step step) {
  constexpr long allowed_kib = 4096;
  const auto begun = std::chrono::steady_clock::now();
  for (std::size_t turn = 0; turn < turns / 10; ++turn) step(turn);
  const Use before = use();
  for (std::size_t turn = turns / 10; turn < turns; ++turn) step(turn);
  const Use after = use();
  const auto took = std::chrono::steady_clock::now() - begun;
  std::printf(
      "rank %d: %zu %s in %.1f s: %ld to %ld KiB, %ld to %ld descriptors, %d to %d handles\n",
      world.rank(), turns, what, std::chrono::duration<double>(took).count(), before.kib, after.kib,
      before.descriptors, after.descriptors, before.handles, after.handles);
  std::fflush(stdout);
  require(after.kib - before.kib < allowed_kib, "the memory grows");
  require(after.descriptors == before.descriptors, "file descriptors are left open");
  require(after.handles == before.handles, "MPI handles are not freed");
}

}  // namespace

int main(int argc, char** argv) {
  tutti::Environment environment(argc, argv);
  require_expected_size();
  require(argc == 3, "usage: soak OPERATIONS COMMUNICATORS");
  const Communicator world(MPI_COMM_WORLD);
  Soak soak(world);
  constant(world, "operations", std::strtoul(argv[1], nullptr, 10),
           [&](std::size_t turn) { soak.mixed(world, turn); });
  constant(world, "communicators", std::strtoul(argv[2], nullptr, 10),
           [&](std::size_t) { communicators(world, soak); });
  return 0;
}
