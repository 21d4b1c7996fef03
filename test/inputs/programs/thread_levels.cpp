// Case 20: plain MPI_Init gives level single (Open MPI) or what the MPI likes; one thread works
// with any, and asking for more than there is names both levels.
#include "support/program.hpp"
#include "tutti/environment.hpp"

using namespace tutti::test;

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SINGLE, &provided);
  require_expected_size();
  MPI_Query_thread(&provided);
  {
    tutti::Environment environment(argc, argv);
    tutti::Communicator world(MPI_COMM_WORLD);
    require_works(world);
    if (provided == MPI_THREAD_SINGLE)
      require(environment.thread_level() == tutti::ThreadLevel::single, "wrong level");
  }
  if (provided < MPI_THREAD_MULTIPLE) {
    const std::string text = error_of([] { tutti::Environment more(tutti::ThreadLevel::multiple); },
                                      tutti::Errc::unsupported);
    require_in(text, "MULTIPLE");
    require_in(text, provided == MPI_THREAD_SINGLE     ? "SINGLE"
                     : provided == MPI_THREAD_FUNNELED ? "FUNNELED"
                                                       : "SERIALIZED");
  }
  return MPI_Finalize();
}
