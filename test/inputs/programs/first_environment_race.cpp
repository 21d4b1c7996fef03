// Case 21: the very first environments of a process, made by two threads together: one init.
#include <atomic>
#include <thread>

#include "support/program.hpp"
#include "tutti/environment.hpp"

using namespace tutti::test;

namespace {
std::atomic<int> inits{0};
}

extern "C" int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  ++inits;
  return PMPI_Init_thread(argc, argv, required, provided);
}

int main() {
  std::atomic<int> ready{0}, made{0};
  const auto make = [&] {
    ++ready;
    while (ready < 2) {
    }
    tutti::Environment environment(tutti::ThreadLevel::multiple);
    ++made;
    while (made < 2) std::this_thread::yield();
  };
  std::thread one(make), two(make);
  one.join();
  two.join();
  int finalized = 0;
  MPI_Finalized(&finalized);
  require(inits == 1, "MPI was initialised twice");
  require(finalized != 0, "the last environment did not end MPI");
  return 0;
}
