// Case 16: the application began MPI; the library must neither begin nor end it.
#include "support/program.hpp"
#include "tutti/environment.hpp"

using namespace tutti::test;

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  require_expected_size();
  {
    tutti::Environment environment(argc, argv);
    tutti::Communicator world(MPI_COMM_WORLD);
    require_works(world);
  }
  {
    tutti::Environment again;
    tutti::Communicator world(MPI_COMM_WORLD);
    require_works(world);
  }
  require(MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS, "MPI ended early");
  return MPI_Finalize();
}
