// Which thread may call what, at each of MPI's thread levels: thread_rules LEVEL.
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <thread>

#include "support/program.hpp"
#include "tutti/environment.hpp"

using namespace tutti::test;
using tutti::Communicator;
using tutti::Errc;

namespace {

using namespace std::chrono_literals;

void on_another_thread(const std::function<void()>& call) {
  std::thread(call).join();
}

// Calls from another thread while the main one is inside, waiting for ranks that do not come yet.
void while_inside(const Communicator& world, const std::function<void()>& call) {
  if (world.rank() != 0) {
    MPI_Barrier(MPI_COMM_WORLD);
    return world.barrier();
  }
  std::atomic<bool> inside{false};
  std::thread waiting([&] {
    inside = true;
    world.barrier();
  });
  while (!inside) std::this_thread::yield();
  std::this_thread::sleep_for(100ms);
  call();
  MPI_Barrier(MPI_COMM_WORLD);
  waiting.join();
}

void every_call_is_refused(const Communicator& world, std::vector<int>& data) {
  const tutti::Operation operation = tutti::all_reduce(data);
  const std::function<void()> calls[] = {
      [&] { world.run(operation); },           [&] { world.run({operation, tutti::barrier()}); },
      [&] { (void)world.start(operation); },   [&] { (void)world.plan(operation); },
      [&] { (void)world.explain(operation); }, [&] { (void)world.split(0); },
      [&] { (void)world.duplicate(); },
  };
  const std::string me = "thread " + std::to_string(syscall(SYS_gettid)) + " calls";
  for (const auto& call : calls) {
    const std::string text = error_of(call, Errc::invalid_argument);
    require_in(text, me);
    require_in(text, "one thread at a time");
  }
  // What only looks is not refused.
  require(world.rank() == 0 && world.valid() && world.options().max_count > 0, "a look");
  require(!world.abort_handle().aborted(), "aborted");
}

// Threads take turns: any of them may call.
void by_turns(const Communicator& world) {
  for (int turn = 0; turn < 10; ++turn) on_another_thread([&] { require_works(world); });
  require_works(world);
}

void main_thread_only(const Communicator& world) {
  on_another_thread([&] {
    const std::string text = error_of([&] { world.barrier(); }, Errc::invalid_argument);
    require_in(text, "only the thread that initialised it");
    require_in(text, "MPI_THREAD_SERIALIZED");
  });
  require_works(world);
}

// A communicator each, made by one thread, used and split by several at once.
void all_at_once(const Communicator& world) {
  constexpr int threads = 4;
  std::vector<Communicator> own;
  for (int i = 0; i < threads; ++i) own.push_back(world.duplicate());
  std::vector<std::thread> running;
  for (const Communicator& communicator : own)
    running.emplace_back([&communicator] {
      for (int turn = 0; turn < 30; ++turn) {
        require_works(communicator);
        std::vector<int> data{1};
        communicator.start(tutti::all_reduce(data)).wait();
        require(data[0] == communicator.size(), "a started operation is wrong");
      }
      require_works(communicator.split(communicator.rank() % 2));
    });
  for (std::thread& thread : running) thread.join();
}

// From a thread that has nothing to do with the communicator, while another one waits in it.
void aborted_from_elsewhere() {
  tutti::Options options;
  options.timeout = 1h;
  const Communicator doomed(MPI_COMM_WORLD, options);
  if (doomed.rank() == 0 && doomed.size() > 1) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([handle = doomed.abort_handle()]() mutable {
        std::this_thread::sleep_for(50ms);
        handle.abort();
      });
    error_of([&] { doomed.barrier(); }, Errc::aborted);
    for (std::thread& thread : threads) thread.join();
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

int level_named(const char* name) {
  if (std::strcmp(name, "funneled") == 0) return MPI_THREAD_FUNNELED;
  if (std::strcmp(name, "serialized") == 0) return MPI_THREAD_SERIALIZED;
  return MPI_THREAD_MULTIPLE;
}

void rules_of(int level) {
  const Communicator world(MPI_COMM_WORLD);
  if (level == MPI_THREAD_FUNNELED) {
    main_thread_only(world);
  } else {
    by_turns(world);
    std::vector<int> data(3, 1);
    if (level == MPI_THREAD_MULTIPLE)
      while_inside(world, [&] { every_call_is_refused(world, data); });
    require_works(world);
  }
  if (level == MPI_THREAD_MULTIPLE) all_at_once(world);
  aborted_from_elsewhere();
  require_works(world);
}

}  // namespace

int main(int argc, char** argv) {
  require(argc == 2, "usage: thread_rules LEVEL");
  const int level = level_named(argv[1]);
  int provided = 0;
  MPI_Init_thread(&argc, &argv, level, &provided);
  require_expected_size();
  require(provided == level, "MPI gives another level");
  if (level < MPI_THREAD_MULTIPLE)
    require_in(
        error_of([] { tutti::Environment more(tutti::ThreadLevel::multiple); }, Errc::unsupported),
        "MPI_THREAD_MULTIPLE");
  rules_of(level);
  return MPI_Finalize();
}
