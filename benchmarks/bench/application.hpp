#pragma once

#include "bench/settings.hpp"

namespace tutti::bench {

/// tutti-bench between MPI_Init and MPI_Finalize: returns the status to exit with, the same on
/// every rank. Only rank 0 writes. Collective over MPI_COMM_WORLD.
int bench_main(int argc, char** argv);

}  // namespace tutti::bench
