// Ranks that each have process numbers of their own: the memory that rank 0 shares is looked for
// nowhere but in its own process. Here every other rank has a file of the application's open under
// whatever number it may have there.
#include <fcntl.h>
#include <unistd.h>
#include <tutti/tutti.hpp>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string name = argv[1];
  const std::string words = "the application's own";
  const tutti::Environment environment;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (getpid() > 100) {
    std::fprintf(stderr, "process %d: the ranks are in one space of numbers\n", getpid());
    return 1;
  }
  if (rank != 0) {
    std::ofstream(name) << words;
    const int file = open(name.c_str(), O_RDWR | O_CLOEXEC);
    for (int number = 3; number < 200; ++number)
      if (fcntl(number, F_GETFD) < 0) dup2(file, number);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const tutti::Communicator world(MPI_COMM_WORLD);
  std::vector<int> data(100000, 1);
  world.all_reduce(data, tutti::sum);
  const bool right = data == std::vector<int>(data.size(), world.size());
  world.barrier();
  std::ifstream file(name);
  const std::string found{std::istreambuf_iterator<char>(file), {}};
  if (!right || found != words)
    std::fprintf(stderr, "rank %d: %s, the file has %zu bytes\n", rank, right ? "right" : "wrong",
                 found.size());
  return right && found == words ? 0 : 1;
}
