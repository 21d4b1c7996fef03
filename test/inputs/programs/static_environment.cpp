// Static objects of the application: they begin before the library's and end after them.
#include <complex>

#include "support/program.hpp"
#include "tutti/environment.hpp"

using namespace tutti::test;

namespace {
// MPI starts before main here, so that variables are read before anything else of the program runs.
struct Variables {
  Variables() {
    setenv("TUTTI_LOG", "error", 1);
    setenv("TUTTI_DETERMINISTIC", "yes", 1);
  }
} variables;
tutti::Environment environment;
tutti::Communicator world(MPI_COMM_WORLD);
}  // namespace

int main() {
  require_expected_size();
  require(world.options().deterministic, "TUTTI_DETERMINISTIC was not read");
  require_works(world);
  // Makes what the library frees when MPI ends.
  std::vector<std::complex<double>> data(2, {1, 1});
  world.all_reduce(data, tutti::prod);
  std::vector<double> sums(2, 1);
  world.all_reduce(sums, tutti::max);
  return 0;
}
