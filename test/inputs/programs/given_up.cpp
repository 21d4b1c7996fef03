// An operation that was given up at its deadline is still in MPI's hands: a late rank finds the
// memory of its intermediate results, not somebody else's.
#include <chrono>
#include <thread>

#include "support/program.hpp"
#include "tutti/environment.hpp"

using namespace tutti::test;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t count = std::size_t{1} << 23;  // so much that free() returns it to the system

void an_operation(const tutti::Communicator& world) {
  const tutti::Communicator doomed = world.duplicate();
  static std::vector<tutti::float16> data(count, tutti::float16(1.0F));
  const auto operation = tutti::all_reduce(data, tutti::sum).within(300ms);
  const auto reduce = [&] { doomed.run(operation); };
  // There nothing is in MPI's hands, and rank 0 is known to have given up.
  const bool in_node = doomed.choose(operation).backend == "node";
  if (world.rank() == 0) {
    error_of(reduce, tutti::Errc::timeout);
  } else {
    std::this_thread::sleep_for(800ms);
    try {
      reduce();  // rank 0's part may have come in time
    } catch (const tutti::Error& error) {
      require(error.code() == (in_node ? tutti::Errc::broken : tutti::Errc::timeout), error.what());
    }
  }
  for (int i = 0; i < 3; ++i) {
    require_works(world);
    std::this_thread::sleep_for(100ms);
  }
}

void a_split(const tutti::Communicator& world) {
  tutti::Options options;
  options.timeout = 300ms;
  const tutti::Communicator doomed(MPI_COMM_WORLD, options);
  if (world.rank() == 0) {
    error_of([&] { (void)doomed.split(0); }, tutti::Errc::timeout);
    require_in(error_of([&] { doomed.barrier(); }, tutti::Errc::broken), "split");
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace

int main(int argc, char** argv) {
  tutti::Environment environment(argc, argv);
  require_expected_size();
  const tutti::Communicator world(MPI_COMM_WORLD);
  an_operation(world);
  a_split(world);
  require_works(world);
  return 0;
}
