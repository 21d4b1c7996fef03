// Failures while operations are under way and at the end (cases 97 to 113).
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <thread>

#include "device/story.hpp"

namespace tutti::test {
namespace {

using namespace std::chrono_literals;

std::chrono::milliseconds time_of(const std::function<void()>& call) {
  const auto begin = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() -
                                                               begin);
}

void require_broken(const Communicator& world) {
  const OnDevice<int> data({1});
  require_in(error_of([&] { world.all_reduce(data.span()); }, Errc::broken), "earlier failure");
}

// Case 111.
void system_error() {
  const Communicator world(MPI_COMM_WORLD);
  const OnDevice<int> data({1});
  const std::string text = error_of([&] { world.all_reduce(data.span()); }, Errc::nccl);
  require_in(text, "no space left");
  require_in(text, "bytes free");
  require_broken(world);
}

// Case 109: the operator goes although the collective failed.
void operator_goes_on_failure() {
  const Communicator world(MPI_COMM_WORLD);
  const OnDevice<float> data({1});
  error_of([&] { world.all_reduce(data.span(), pre_multiplied(2.0f)); }, Errc::nccl);
  require(count_calls("ncclRedOpCreatePreMulSum") == 1 && count_calls("ncclRedOpDestroy") == 1,
          "not destroyed");
}

void asynchronous_error() {
  const Communicator world(MPI_COMM_WORLD);
  const OnDevice<int> data({1});
  const std::string text = error_of([&] { world.all_reduce(data.span()); }, Errc::nccl);
  require_in(text, "asynchronous");
  require_in(text, "the peer is gone");
  require(count_calls("ncclCommAbort") > 0, "NCCL was not aborted");
  require_broken(world);
}

void deadline() {
  const Communicator world(MPI_COMM_WORLD, options(NcclPolicy::automatic, 400ms));
  require_works_on_device(world);
  const OnDevice<int> data({1});
  if (world.rank() == 0) {
    const auto took =
        time_of([&] { error_of([&] { world.all_reduce(data.span()); }, Errc::timeout); });
    require(took >= 400ms && took < 3s, "after " + std::to_string(took.count()) + " ms");
    require(count_calls("ncclCommAbort") > 0, "NCCL was not aborted");
    require_broken(world);
  }
  meet();
}

void abort_from_a_thread() {
  const Communicator world(MPI_COMM_WORLD);
  require_works_on_device(world);
  AbortHandle handle = world.abort_handle();
  const OnDevice<int> data({1});
  std::thread other([&] {
    std::this_thread::sleep_for(200ms);
    handle.abort();
    handle.abort();
  });
  if (world.rank() == 0) error_of([&] { world.all_reduce(data.span()); }, Errc::aborted);
  other.join();
  meet();
}

// Case 99.
void destroy_hangs() {
  auto world =
      std::make_unique<Communicator>(MPI_COMM_WORLD, options(NcclPolicy::automatic, 1000ms));
  require_works_on_device(*world);
  const auto took = time_of([&] { world.reset(); });
  require(took < 3s, "the end took " + std::to_string(took.count()) + " ms");
}

/// What `call` writes to standard error.
std::string told_by(const std::function<void()>& call) {
  std::fflush(stderr);
  char name[] = "/tmp/tutti-told.XXXXXX";
  const int file = mkstemp(name), before = dup(2);
  dup2(file, 2);
  call();
  dup2(before, 2);
  close(before);
  std::string text(65536, '\0');
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, pread(file, text.data(), 65536, 0))));
  close(file);
  unlink(name);
  return text;
}

// As NCCL does as long as a graph lives that was captured with it: without a deadline the end is
// not waited for long, and told once.
void finalize_waits_for_a_graph() {
  auto world = std::make_unique<Communicator>(MPI_COMM_WORLD);
  require_works_on_device(*world);
  std::string told;
  const auto took = time_of([&] { told = told_by([&] { world.reset(); }); });
  require(took < 4s, "the end took " + std::to_string(took.count()) + " ms");
  require_in(told, "captured graph");
  require(told.find("captured graph") == told.rfind("captured graph"), "told twice: " + told);
}

void differing_variable() {
  if (rank() == 1) setenv("NCCL_ALGO", "Ring", 1);
  std::string told;
  std::unique_ptr<Communicator> world;
  told = told_by([&] {
    world = std::make_unique<Communicator>(MPI_COMM_WORLD);
    require_works_on_device(*world);
  });
  if (rank() != 0) return require(told.empty(), "told by another rank: " + told);
  require_in(told, "NCCL_ALGO differs between ranks 0 (");
  require_in(told, " and 1 (");
  require(std::count(told.begin(), told.end(), '\n') == 1, "more than one line: " + told);
}

// Case 140: the runtime that the application has loaded is the one that tutti uses.
void runtime_already_loaded() {
  std::string path = std::getenv("TUTTI_CUDART_LIBRARY");
  const std::string ours = "cuda-13/libcudart.so.13", theirs = "cuda-12/libcudart.so.12";
  require_in(path, ours);
  path.replace(path.find(ours), ours.size(), theirs);
  unsetenv("TUTTI_CUDART_LIBRARY");
  require(dlopen(path.c_str(), RTLD_NOW) != nullptr, "no other runtime");
  const DeviceLibraries libraries = device_libraries();
  require_in(libraries.runtime.path, theirs);
  require(libraries.runtime.version.rfind("12.", 0) == 0, libraries.runtime.version);
  require_works_on_device(Communicator(MPI_COMM_WORLD));
}

// A communicator that outlives MPI and one that is destroyed by the program's exit.
void outlives_mpi() {
  static auto forever = std::make_unique<Communicator>(MPI_COMM_WORLD);
  require_works_on_device(*forever);
}

void copy_fails_when_staged() {
  const Communicator world(MPI_COMM_WORLD, options(NcclPolicy::never));
  std::vector<int> host{1};
  const OnDevice<int> data({1});
  const std::string text = error_of([&] { world.all_reduce(data.span()); }, Errc::memory);
  require_in(text, "cudaHostAlloc");
  require_in(text, "cudaErrorMemoryAllocation");
}

}  // namespace

std::vector<Told> failure_stories() {
  return {
      {"system_error", "fail ncclAllReduce code=2 text='no space left'", system_error},
      {"operator_goes_on_failure", "fail ncclAllReduce code=3", operator_goes_on_failure},
      {"asynchronous_error", "stall ncclAllReduce; async polls=1500 code=6 text='the peer is gone'",
       asynchronous_error},
      {"deadline", nullptr, deadline},
      {"abort_from_a_thread", nullptr, abort_from_a_thread},
      {"destroy_hangs", "hang ncclCommDestroy", destroy_hangs},
      {"finalize_hangs", "hang ncclCommFinalize", destroy_hangs},
      {"finalize_waits_for_a_graph", "hang ncclCommFinalize", finalize_waits_for_a_graph},
      {"differing_variable", nullptr, differing_variable},
      {"runtime_already_loaded", nullptr, runtime_already_loaded},
      {"outlives_mpi", nullptr, outlives_mpi},
      {"no_pinned_memory", "fail cudaHostAlloc code=2", copy_fails_when_staged},
  };
}

}  // namespace tutti::test
