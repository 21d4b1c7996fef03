// What MPI_CXX_BOOL and the complex types would be used for.
#include <complex>
#include <cstdio>
#include <tutti/tutti.hpp>
#include <vector>

int main(int argc, char** argv) {
  if (MPI_CXX_BOOL != MPI_DATATYPE_NULL) return 2;
  tutti::Environment mpi(argc, argv);
  const tutti::Communicator world(MPI_COMM_WORLD);
  const bool second = world.rank() == 1;

  bool flags[] = {second, false};
  world.all_reduce(flags, tutti::logical_or);
  const bool bools_are_right = flags[0] && !flags[1];

  std::vector<std::complex<double>> z(3, {1.0, second ? 2.0 : -1.0});
  world.all_reduce(z, tutti::prod);  // (1 - i)(1 + 2i)
  std::vector<std::complex<float>> both(2);
  const std::vector<std::complex<float>> own(1, {0, static_cast<float>(world.rank())});
  world.all_gather(own, both);

  const bool right =
      bools_are_right && z[2] == std::complex<double>(3, 1) && both[1] == std::complex<float>(0, 1);
  if (!right) std::printf("rank %d: wrong\n", world.rank());
  return right && world.size() == 2 ? 0 : 1;
}
