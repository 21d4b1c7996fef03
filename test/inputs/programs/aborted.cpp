// Abort handles: from another thread, twice, before and after the communicator's end; what waits
// ends and later calls are refused. The job goes on.
#include <chrono>
#include <optional>
#include <thread>

#include "support/program.hpp"
#include "tutti/environment.hpp"

using namespace tutti::test;
using namespace std::chrono_literals;

namespace {

// What is waited for differs: the others' first collective, in which memory is shared among them,
// or a later one.
void aborted_from_a_thread(bool used_before) {
  // With a deadline, however far off, waits look around; MPI's blocking calls do not.
  tutti::Options options;
  options.timeout = 1h;
  const tutti::Communicator doomed(MPI_COMM_WORLD, options);
  if (used_before) require_works(doomed);
  tutti::AbortHandle handle = doomed.abort_handle();
  require(!handle.aborted(), "aborted too early");
  if (doomed.rank() == 0) {
    std::thread other([&] {
      std::this_thread::sleep_for(100ms);
      handle.abort();
      handle.abort();
    });
    // The others never come; alone, the barrier is done at once.
    if (doomed.size() > 1) error_of([&] { doomed.barrier(); }, tutti::Errc::aborted);
    other.join();
  } else {
    doomed.abort();
  }
  require(handle.aborted(), "not aborted");
  error_of([&] { doomed.barrier(); }, tutti::Errc::aborted);
}

}  // namespace

int main(int argc, char** argv) {
  tutti::Environment environment(argc, argv);
  require_expected_size();
  const tutti::Communicator world(MPI_COMM_WORLD);
  tutti::AbortHandle handle;
  {
    const tutti::Communicator brief(MPI_COMM_WORLD);
    handle = brief.abort_handle();
  }
  handle.abort();
  tutti::AbortHandle().abort();
  for (const bool used_before : {false, true}) aborted_from_a_thread(used_before);
  MPI_Barrier(MPI_COMM_WORLD);
  require_works(world);
  return 0;
}
