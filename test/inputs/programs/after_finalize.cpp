// Cases 18, 19: objects that outlive MPI_Finalize go quietly; new ones are refused.
#include "support/program.hpp"
#include "tutti/environment.hpp"

using namespace tutti::test;

namespace {
tutti::Communicator* kept_until_exit = nullptr;
tutti::Communicator static_object;
void at_exit() {
  delete kept_until_exit;
}
}  // namespace

int main(int argc, char** argv) {
  std::atexit(at_exit);
  tutti::Communicator local;
  tutti::AbortHandle handle;
  tutti::Plan plan;
  std::vector<int> data(3);
  {
    tutti::Environment environment(argc, argv);
    require_expected_size();
    kept_until_exit = new tutti::Communicator(MPI_COMM_WORLD);
    static_object = kept_until_exit->duplicate();
    local = kept_until_exit->split(0);
    handle = local.abort_handle();
    plan = local.plan(tutti::all_reduce(data, tutti::sum));
    plan.run();
    require_works(static_object);
  }
  int finalized = 0;
  MPI_Finalized(&finalized);
  require(finalized != 0, "the environment that began MPI did not end it");
  const std::string text =
      error_of([] { tutti::Communicator late(MPI_COMM_WORLD); }, tutti::Errc::mpi);
  require_in(text, "finali");
  error_of([] { tutti::Environment late; }, tutti::Errc::mpi);
  error_of([&] { local.barrier(); }, tutti::Errc::mpi);
  error_of([&] { (void)local.duplicate(); }, tutti::Errc::mpi);
  error_of([&] { plan.run(); }, tutti::Errc::mpi);
  handle.abort();
  return 0;
}
