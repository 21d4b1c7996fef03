// A communicator before MPI_Init is a clear error, not the end of the job.
#include "support/program.hpp"
#include "tutti/environment.hpp"

using namespace tutti::test;

int main(int argc, char** argv) {
  const std::string text =
      error_of([] { tutti::Communicator early(MPI_COMM_WORLD); }, tutti::Errc::mpi);
  require_in(text, "MPI_Init");
  tutti::Environment environment(argc, argv);
  require_expected_size();
  tutti::Communicator world(MPI_COMM_WORLD);
  require_works(world);
  return 0;
}
