// Case 78: with a deadline, a rank that is late turns into an error that names the operation, and
// the communicator is broken from then on; without one the operation waits and is right.
#include <chrono>
#include <thread>

#include "support/program.hpp"
#include "tutti/environment.hpp"

using namespace tutti::test;
using namespace std::chrono_literals;

namespace {

void the_others_wait(const tutti::Communicator& world) {
  if (world.rank() == world.size() - 1) std::this_thread::sleep_for(500ms);
  require_works(world);
}

void the_others_give_up(const tutti::Communicator& world) {
  tutti::Options options;
  options.timeout = 1s;
  const tutti::Communicator impatient(MPI_COMM_WORLD, options);
  require_works(impatient);
  std::vector<int> data(3);
  if (world.rank() != world.size() - 1) {
    const auto begin = std::chrono::steady_clock::now();
    const std::string text =
        error_of([&] { impatient.all_reduce(data, tutti::sum); }, tutti::Errc::timeout);
    const auto waited = std::chrono::steady_clock::now() - begin;
    require(waited > 900ms && waited < 10s, "the deadline was not kept");
    require_in(text, "all_reduce");
    require_in(text, "rank " + std::to_string(world.rank()));
    // Of a rank that is alone on its node nobody can tell what it did last.
    const std::string late = "rank " + std::to_string(world.size() - 1);
    require(text.find(late + ": not there; its last was all_reduce") != std::string::npos ||
                text.find(late + ": no answer from there") != std::string::npos,
            text);
    error_of([&] { impatient.barrier(); }, tutti::Errc::broken);
    error_of([&] { (void)impatient.start(tutti::barrier()); }, tutti::Errc::broken);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

void one_operation_gives_up(const tutti::Communicator& world) {
  const tutti::Communicator other = world.duplicate();
  std::vector<int> data(3);
  if (world.rank() == 0)
    error_of([&] { other.run(tutti::all_reduce(data, tutti::sum).within(300ms)); },
             tutti::Errc::timeout);
  MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace

int main(int argc, char** argv) {
  tutti::Environment environment(argc, argv);
  require_expected_size();
  const tutti::Communicator world(MPI_COMM_WORLD);
  the_others_wait(world);
  the_others_give_up(world);
  one_operation_gives_up(world);
  require_works(world);
  return 0;
}
