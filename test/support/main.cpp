// The main program of tests that run on several ranks.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>

#include "support/listener.hpp"
#include "support/world.hpp"

namespace {

// One rank unless run_mpi.sh or `--ranks=N` says otherwise.
int expected_size(int argc, char** argv) {
  const char* const variable = std::getenv("RUN_MPI_RANKS");
  int expected = variable != nullptr ? std::atoi(variable) : 1;
  for (int i = 1; i < argc; ++i) std::sscanf(argv[i], "--ranks=%d", &expected);
  return expected;
}

int run_tests() {
  if (GTEST_FLAG_GET(list_tests) && tutti::test::rank() != 0) return 0;
  const int result = RUN_ALL_TESTS();
  if (!GTEST_FLAG_GET(list_tests) && testing::UnitTest::GetInstance()->test_to_run_count() == 0) {
    if (tutti::test::rank() == 0) std::fprintf(stderr, "no test matches the filter\n");
    return 1;
  }
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  const int size = tutti::test::size();
  if (const int expected = expected_size(argc, argv); size != expected) {
    std::fprintf(
        stderr,
        "this test was started on %d ranks, but MPI says %d: the launcher belongs to another "
        "MPI than the program\n",
        expected, size);
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
  testing::InitGoogleTest(&argc, argv);
  tutti::test::follow_rank_0(tutti::test::rank(), size);
  const int result = run_tests();
  // A failure has ended the job already; this is for what has no listener, such as an empty filter.
  const bool good = tutti::test::ranks_that_say(result != 0) == 0;
  MPI_Finalize();
  return good ? 0 : 1;
}
