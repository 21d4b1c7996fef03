// Case 37: one rank never gets to the constructor; the others end at the deadline with an error
// that says how long they waited and for what. The job ends non-zero and soon; the script that runs
// this looks at the text.
#include <chrono>
#include <thread>

#include "support/program.hpp"
#include "tutti/environment.hpp"

using namespace tutti::test;

int main(int argc, char** argv) {
  tutti::Environment environment(argc, argv);
  require_expected_size();
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 2) std::this_thread::sleep_for(std::chrono::seconds(60));
  tutti::Options options;
  options.timeout = std::chrono::seconds(2);
  const std::string text =
      error_of([&] { tutti::Communicator world(MPI_COMM_WORLD, options); }, tutti::Errc::timeout);
  std::fprintf(stderr, "caught on rank %d: %s\n", rank, text.c_str());
  std::fflush(stderr);
  // Rank 1 leaves the end to rank 0, so that both lines are seen.
  std::this_thread::sleep_for(std::chrono::seconds(rank == 0 ? 1 : 5));
  tutti::end_job(7, "rank 2 did not come");
}
