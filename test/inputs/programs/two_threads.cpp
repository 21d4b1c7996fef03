// Cases 21, 96: two threads make environments at once; two threads in one communicator are told
// apart; two communicators serve two threads.
#include <atomic>
#include <chrono>
#include <thread>

#include "support/program.hpp"
#include "tutti/environment.hpp"

using namespace tutti::test;

namespace {

void make_environments() {
  const auto make = [] {
    for (int i = 0; i < 200; ++i) tutti::Environment environment(tutti::ThreadLevel::multiple);
  };
  std::thread one(make), two(make);
  one.join();
  two.join();
}

// The first thread waits for ranks that do not come yet; the second must be refused, not let in.
void second_thread_is_refused(const tutti::Communicator& world) {
  std::atomic<bool> inside{false};
  if (world.rank() == 0) {
    std::thread first([&] {
      inside = true;
      world.barrier();
    });
    while (!inside) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    const std::string text = error_of([&] { world.barrier(); }, tutti::Errc::invalid_argument);
    require_in(text, "thread");
    MPI_Barrier(MPI_COMM_WORLD);
    first.join();
  } else {
    MPI_Barrier(MPI_COMM_WORLD);
    world.barrier();
  }
  require_works(world);
}

// What another thread may not wait for is not over.
void a_refused_wait_keeps_the_work(const tutti::Communicator& world) {
  std::vector<int> data(1, 1), token(1);
  tutti::Work work;
  if (world.rank() == 0 && world.size() > 1) {
    work = world.start(tutti::all_reduce(data, tutti::sum));
    std::atomic<bool> inside{false};
    std::thread first([&] {
      inside = true;
      world.recv(token, 1);
    });
    while (!inside) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    error_of([&] { work.wait(); }, tutti::Errc::invalid_argument);
    error_of([&] { work.test(); }, tutti::Errc::invalid_argument);
    MPI_Barrier(MPI_COMM_WORLD);
    first.join();
  } else {
    MPI_Barrier(MPI_COMM_WORLD);
    if (world.rank() == 1) world.send(token, 0);
    work = world.start(tutti::all_reduce(data, tutti::sum));
  }
  work.wait();
  require(data[0] == world.size(), "the work was lost");
}

void a_communicator_each(const tutti::Communicator& world) {
  const tutti::Communicator mine = world.duplicate(), yours = world.duplicate();
  std::thread other([&] {
    for (int i = 0; i < 20; ++i) require_works(yours);
  });
  for (int i = 0; i < 20; ++i) require_works(mine);
  other.join();
}

}  // namespace

int main(int argc, char** argv) {
  tutti::Environment environment(argc, argv, tutti::ThreadLevel::multiple);
  require_expected_size();
  make_environments();
  int finalized = 0;
  MPI_Finalized(&finalized);
  require(finalized == 0, "an inner environment ended MPI");
  const tutti::Communicator world(MPI_COMM_WORLD);
  if (world.size() > 1) second_thread_is_refused(world);
  a_refused_wait_keeps_the_work(world);
  a_communicator_each(world);
  return 0;
}
