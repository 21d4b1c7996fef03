// tutti-bench on a machine where rank 1 is 20 ms late to every barrier.
#include <mpi.h>

#include <chrono>
#include <thread>

#include "bench/application.hpp"
#include "common/console.hpp"

extern "C" int MPI_Barrier(MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  return PMPI_Barrier(comm);
}

int main(int argc, char** argv) {
  return tutti::bench::run_tool("late-bench", argc, argv,
                                [&] { return tutti::bench::bench_main(argc, argv); });
}
