// One rank gives up what it waits for before the others come: they must not go on without it into
// what nothing interrupts, where they would wait for ever.
#include <chrono>
#include <functional>
#include <string>
#include <thread>

#include "support/program.hpp"
#include "tutti/environment.hpp"

using namespace tutti::test;
using namespace std::chrono_literals;

namespace {

int rank_in_world() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

// Rank 0 calls, and gives up; then the others call. What they are told, and how soon.
void others_come_too_late(const std::function<void()>& call, const std::string& words,
                          std::chrono::seconds at_once) {
  if (rank_in_world() == 0) error_of(call, tutti::Errc::timeout);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank_in_world() != 0) {
    const auto begin = std::chrono::steady_clock::now();
    require_in(error_of(call, tutti::Errc::timeout), words);
    require(std::chrono::steady_clock::now() - begin < at_once, "it took too long");
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

tutti::Options with_timeout(std::chrono::milliseconds timeout) {
  tutti::Options options;
  options.timeout = timeout;
  return options;
}

void to_a_construction() {
  // Who comes later has patience, and does not need it.
  const auto options = with_timeout(rank_in_world() == 0 ? 300ms : 60s);
  others_come_too_late([&] { const tutti::Communicator late(MPI_COMM_WORLD, options); },
                       "rank 0: gave up before this rank came", 20s);
  // The application's communicator is as good as before.
  require_works(tutti::Communicator(MPI_COMM_WORLD, with_timeout(60s)));
}

void to_a_split() {
  const tutti::Communicator world(MPI_COMM_WORLD, with_timeout(300ms));
  others_come_too_late([&] { static_cast<void>(world.split(0)); },
                       "gave up; its last was split (call 1)", 20s);
}

// The first one makes the memory that ranks share, and who comes to it is told at once. Where it
// goes through MPI, what rank 0 had to give may have come, and then it is right.
void to_the_first_collective() {
  const tutti::Communicator world(MPI_COMM_WORLD, with_timeout(500ms));
  const bool in_node = world.choose(tutti::barrier()).backend == "node";
  static std::vector<int> data(4, 1);  // MPI may work on it until the end
  const auto reduce = [&] { world.all_reduce(data); };
  if (world.rank() == 0) error_of(reduce, tutti::Errc::timeout);
  MPI_Barrier(MPI_COMM_WORLD);
  const auto begin = std::chrono::steady_clock::now();
  try {
    if (world.rank() != 0) reduce();
    require(world.rank() == 0 || !in_node, "rank 0 had given up");
    require(world.rank() == 0 || data == std::vector<int>(4, world.size()), "all_reduce is wrong");
  } catch (const tutti::Error& error) {
    require(error.code() == (in_node ? tutti::Errc::broken : tutti::Errc::timeout), error.what());
    if (in_node) require_in(error.what(), "rank 0 gave up; its last was all_reduce");
  }
  require(std::chrono::steady_clock::now() - begin < 20s, "it took too long");
  MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace

int main(int argc, char** argv) {
  tutti::Environment environment(argc, argv);
  require_expected_size();
  to_a_construction();
  to_a_split();
  to_the_first_collective();
  return 0;
}
