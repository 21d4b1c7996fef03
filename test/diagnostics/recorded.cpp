// What a process leaves behind with TUTTI_RECORD: story is how it ends. The script looks at the
// files.
#include <unistd.h>
#include <csignal>
#include <cstdlib>
#include <thread>
#include <vector>

#include "support/program.hpp"
#include "tutti/environment.hpp"

using namespace tutti::test;

namespace {

void on_terminate(int) {
  constexpr char words[] = "the application's own handler\n";
  [[maybe_unused]] const auto written = write(STDERR_FILENO, words, sizeof words - 1);
  _exit(7);
}

void work(const tutti::Communicator& world) {
  std::vector<float> data(3);
  std::vector<double> one(1), received(1);
  world.broadcast(data, 0);
  error_of([&] { world.broadcast(data, world.size()); }, tutti::Errc::invalid_argument);
  world.start(tutti::all_reduce(one, tutti::sum)).wait();
  const tutti::Communicator half = world.split(world.rank() % 2);
  half.run({tutti::all_reduce(one, tutti::max), tutti::barrier()});
  for (int i = 0; i < 2000; ++i) world.barrier();
  tutti::Work under_way = world.start(tutti::broadcast(data, 0));
  world.run(tutti::send_recv(one, world.rank(), received, world.rank()));
  while (!under_way.test()) continue;
}

// Each on a communicator of its own, at the same time.
void work_in_threads() {
  std::vector<tutti::Communicator> own;
  for (int i = 0; i < 4; ++i) own.emplace_back(MPI_COMM_SELF);
  std::vector<std::thread> threads;
  for (const tutti::Communicator& communicator : own)
    threads.emplace_back([&communicator] {
      for (int i = 0; i < 5000; ++i) communicator.barrier();
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string story = argc > 1 ? argv[1] : "";
  if (story == "sigterm") std::signal(SIGTERM, on_terminate);
  const bool threads = story == "threads";
  tutti::Environment environment(
      argc, argv, threads ? tutti::ThreadLevel::multiple : tutti::ThreadLevel::serialized);
  require_expected_size();
  if (threads) {
    work_in_threads();
    return 0;
  }
  const tutti::Communicator world(MPI_COMM_WORLD);
  work(world);
  if (story == "sigterm") raise(SIGTERM);
  if (story == "abort") std::abort();
  if (story == "kill") {
    std::vector<double> one(1);
    const tutti::Work under_way = world.start(tutti::all_reduce(one, tutti::sum));
    raise(SIGKILL);
  }
  return 0;
}
