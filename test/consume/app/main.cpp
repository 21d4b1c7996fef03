// What a consumer's first program looks like; every way to consume tutti builds and runs it.
#include <cstdio>
#include <tutti/tutti.hpp>
#include <vector>

int main(int argc, char** argv) {
  tutti::Environment mpi(argc, argv);
  tutti::Communicator world(MPI_COMM_WORLD);

  std::vector<double> x(3, world.rank() + 1.0);
  world.all_reduce(x, tutti::sum);

  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);  // an application calls MPI by itself, too
  std::printf("rank %d of %d: sum %g\n", world.rank(), size, x[2]);
  return size == 2 && world.size() == 2 && x[2] == 3.0 ? 0 : 1;
}
