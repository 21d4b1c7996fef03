// Case 36: the parent goes on after popen and fork; the child's call is refused, not let into MPI.
#include <sys/wait.h>
#include <unistd.h>

#include "support/program.hpp"
#include "tutti/environment.hpp"

using namespace tutti::test;

int main(int argc, char** argv) {
  tutti::Environment environment(argc, argv);
  require_expected_size();
  const tutti::Communicator world(MPI_COMM_WORLD);
  require_works(world);
  FILE* const pipe = popen("true", "r");
  require(pipe != nullptr && pclose(pipe) == 0, "popen");
  require_works(world);
  const pid_t child = fork();
  if (child == 0) {
    std::vector<int> data(2);
    try {
      world.all_reduce(data, tutti::sum);
    } catch (const tutti::Error& error) {
      _exit(std::string(error.what()).find("fork") != std::string::npos ? 0 : 3);
    }
    _exit(4);
  }
  int status = 0;
  waitpid(child, &status, 0);
  require(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the forked child was not refused");
  require_works(world);

  // A child that goes the whole way: what it inherited is destroyed there without MPI.
  const pid_t leaving = fork();
  if (leaving == 0) return 0;
  waitpid(leaving, &status, 0);
  require(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the forked child did not leave quietly");
  const pid_t constructing = fork();
  if (constructing == 0) {
    error_of([] { tutti::Communicator second(MPI_COMM_WORLD); }, tutti::Errc::broken);
    _exit(0);
  }
  waitpid(constructing, &status, 0);
  require(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the forked child made a communicator");
  require_works(world);
  return 0;
}
