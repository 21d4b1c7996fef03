// What can be seen on real devices only, or must be seen there too. Two ranks or more, one device
// each; runs on the fakes as well. With `shared` as argument: all ranks on one device.
#include <cuda_runtime_api.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <optional>
#include <thread>

#include "core/shared_library.hpp"
#include "cuda/runtime.hpp"
#include "cuda/stream.hpp"
#include "device/memory.hpp"
#include "support/program.hpp"
#include "support/world.hpp"
#include "tutti/tutti.hpp"

namespace tutti::test {
namespace {

using namespace std::chrono_literals;

template <class Function>
Function* runtime_function(const char* name) {
  const auto loaded = loaded_libraries("libcudart.so");
  require(!loaded.empty(), "no CUDA runtime");
  return reinterpret_cast<Function*>(SharedLibrary({{loaded.front(), true}}).symbol(name));
}

void wait_for(const cuda::Stream& stream) {
  while (!stream.idle()) std::this_thread::yield();
}

void require_works_on_device(const Communicator& world) {
  const OnDevice<int> data({world.rank() + 1});
  world.all_reduce(data.span());
  require(data.values()[0] == world.size() * (world.size() + 1) / 2,
          "all_reduce on the device is wrong");
}

void libraries() {
  require(static_cast<bool>(nccl_available()), nccl_available().reason);
  if (rank() == 0) std::printf("%s\n", describe_device_libraries().c_str());
}

void large_exchange() {
  const Communicator world(MPI_COMM_WORLD);
  require_works_on_device(world);
  const std::vector<int> mine(std::size_t{16} << 20, world.rank());
  const OnDevice<int> in(mine), out(std::vector<int>(mine.size(), -1));
  const int peer = (world.rank() + 1) % world.size(),
            from = (world.rank() + world.size() - 1) % world.size();
  world.send_recv(in.span(), peer, out.span(), from);
  require(out.values() == std::vector<int>(mine.size(), from), "64 MiB both ways are wrong");
}

void staged_in_pieces() {
  Options never;
  never.nccl = NcclPolicy::never;
  const Communicator world(MPI_COMM_WORLD, never);
  const OnDevice<float> data(std::vector<float>(std::size_t{8} << 20, 1));
  world.all_reduce(data.span(), max);
  world.all_reduce(data.span(), sum);
  require(
      data.values() == std::vector<float>(std::size_t{8} << 20, static_cast<float>(world.size())),
      "staged sum");
}

void streams_of_every_kind() {
  const Communicator world(MPI_COMM_WORLD);
  const cuda::DeviceGuard guard(world.device().ordinal());
  const cuda::Stream own(cuda::Legacy::apart);
  const OnDevice<int> data({1}), sums({0});
  int expected = 1;
  for (const std::uintptr_t special : {std::uintptr_t{0}, std::uintptr_t{1}, std::uintptr_t{2},
                                       reinterpret_cast<std::uintptr_t>(own.handle())}) {
    const auto stream = reinterpret_cast<cudaStream_t>(special);
    world.enqueue({all_reduce(data.span()), barrier()}, stream);
    world.enqueue(scan(data.span(), sums.span(), max), stream);
    expected *= world.size();
    runtime_function<decltype(cudaStreamSynchronize)>("cudaStreamSynchronize")(stream);
    require(data.values()[0] == expected && sums.values()[0] == expected,
            "a stream's order was lost");
  }
  Work work = world.start(all_reduce(data.span()));
  work.join(own.handle());
  work.wait();
  require(data.values()[0] == expected * world.size(), "start is wrong");
}

void graphs(bool communicator_first) {
  Options eager;
  eager.join = NcclJoin::eager;
  auto world = std::make_unique<Communicator>(MPI_COMM_WORLD, eager);
  const int n = world->size();
  const cuda::DeviceGuard guard(world->device().ordinal());
  const cuda::Stream stream(cuda::Legacy::apart);
  const OnDevice<int> data({1});
  world->enqueue(all_reduce(data.span()), stream.handle());
  wait_for(stream);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t replay = nullptr;
  require(runtime_function<decltype(cudaStreamBeginCapture)>("cudaStreamBeginCapture")(
              stream.handle(), cudaStreamCaptureModeThreadLocal) == cudaSuccess,
          "no capture");
  world->enqueue(all_reduce(data.span()), stream.handle());
  require(runtime_function<decltype(cudaStreamEndCapture)>("cudaStreamEndCapture")(
              stream.handle(), &graph) == cudaSuccess,
          "spoilt");
  require(runtime_function<decltype(cudaGraphInstantiate)>("cudaGraphInstantiate")(
              &replay, graph, 0) == cudaSuccess,
          "no graph");
  int expected = n;
  for (int turn = 0; turn < 10; ++turn) {
    require(runtime_function<decltype(cudaGraphLaunch)>("cudaGraphLaunch")(
                replay, stream.handle()) == cudaSuccess,
            "no launch");
    expected *= n;
  }
  wait_for(stream);
  require(data.values()[0] == expected, "the replays are wrong");
  const auto drop = [&] {
    runtime_function<decltype(cudaGraphExecDestroy)>("cudaGraphExecDestroy")(replay);
    runtime_function<decltype(cudaGraphDestroy)>("cudaGraphDestroy")(graph);
  };
  const auto begin = std::chrono::steady_clock::now();
  if (communicator_first) world.reset();
  // NCCL would wait for the graph.
  require(std::chrono::steady_clock::now() - begin < 6s, "the end waited for the graph");
  drop();
}

// More messages than NCCL takes in a group, in an order that would deadlock if it were cut
// anywhere.
void more_than_a_group() {
  constexpr std::size_t messages = 2500;
  const Communicator world(MPI_COMM_WORLD);
  require_works_on_device(world);
  const OnDevice<int> in(std::vector<int>(messages, world.rank())),
      out(std::vector<int>(messages, -1));
  const int peer = (world.rank() + 1) % world.size(),
            from = (world.rank() + world.size() - 1) % world.size();
  std::vector<Operation> sends, group;
  for (std::size_t i = 0; i < messages; ++i) {
    sends.push_back(send(in.span().subspan(i, 1), peer));
    group.push_back(recv(out.span().subspan(i, 1), from));
  }
  group.insert(world.rank() == 0 ? group.begin() : group.end(), sends.begin(), sends.end());
  world.run(OperationList(group.data(), group.size()));
  require(out.values() == std::vector<int>(messages, from), "the messages are wrong");
}

void device_group() {
  const Communicator world(MPI_COMM_WORLD);
  const int device = world.device().ordinal();
  DeviceGroup group(world, {device});
  const OnDevice<int> data({1}), sums({0});
  group.run({all_reduce(data.span())});
  const cuda::DeviceGuard guard(device);
  const cuda::Stream stream(cuda::Legacy::apart);
  group.enqueue({all_reduce(data.span(), sums.span())}, {stream.handle()});
  wait_for(stream);
  require(sums.values()[0] == world.size() * world.size(), "the group's sum is wrong");
}

void plans() {
  const Communicator world(MPI_COMM_WORLD);
  const cuda::DeviceGuard guard(world.device().ordinal());
  const cuda::Stream stream(cuda::Legacy::apart);
  const OnDevice<double> a({1}), b({2}), scaled({1});
  Plan plan = world.plan({all_reduce(a.span(), avg), broadcast(b.span(), 0), barrier()});
  Plan scale = world.plan(all_reduce(scaled.span(), pre_multiplied(0.5)));
  double expected = 1;
  for (int turn = 0; turn < 5; ++turn) {
    plan.run();
    plan.enqueue(stream.handle());
    wait_for(stream);
    plan.start().wait();
    scale.run();
    expected *= 0.5 * world.size();
    // What is not planned goes on beside the graph.
    world.all_reduce(b.span(), avg);
    require(a.values()[0] == 1 && b.values()[0] == 2 && scaled.values()[0] == expected,
            "a plan is wrong");
  }
}

void wrong_pointers() {
  const Communicator world(MPI_COMM_WORLD);
  std::vector<int> pageable(4);
  error_of([&] { world.all_reduce(DeviceSpan<int>(pageable.data(), 4)); }, Errc::invalid_argument);
  require_works_on_device(world);
}

void buffers() {
  for (const bool buffer_first : {false, true}) {
    auto world = std::make_unique<Communicator>(MPI_COMM_WORLD);
    auto buffer = std::make_unique<Buffer<float>>(1 << 20, *world);
    const std::vector<float> ones(1 << 20, 1);
    buffer->write(ones.data(), ones.size());
    world->all_reduce(*buffer, avg);
    std::vector<float> result(ones.size());
    buffer->read(result.data(), result.size());
    require(result == ones, "the mean of ones");
    if (buffer_first) buffer.reset();
    world.reset();
  }
}

// The communicator's device is the right one, whichever is current.
void another_current_device() {
  const Communicator world(MPI_COMM_WORLD);
  const int own = world.device().ordinal();
  const int other = (own + 1) % cuda::count_devices();
  const OnDevice<int> data({1});
  const OnDevice<int> apart({world.rank()});  // in a group nothing says what comes first
  std::optional<cuda::Stream> stream;
  {
    const cuda::DeviceGuard guard(own);
    stream.emplace(cuda::Legacy::apart);
  }
  require_works_on_device(world);
  const cuda::DeviceGuard guard(other);
  for (int turn = 0; turn < 3; ++turn) world.enqueue(all_reduce(data.span()), stream->handle());
  world.enqueue({all_reduce(data.span()), broadcast(apart.span(), 0)}, stream->handle());
  require(cuda::current_device() == other, "the current device changed");
  wait_for(*stream);
  int expected = 1;
  for (int turn = 0; turn < 4; ++turn) expected *= world.size();
  require(data.values()[0] == expected, "the sum is wrong");
  require(apart.values()[0] == 0, "the broadcast is wrong");
}

void windows() {
  const Communicator world(MPI_COMM_WORLD);
  constexpr std::size_t count = std::size_t{1} << 20;
  Buffer<float> data(count, world);
  const std::vector<float> mine(count, static_cast<float>(world.rank() + 1));
  data.write(mine.data(), mine.size());
  {
    const nccl::Window window(world, data.data(), count * sizeof(float));
    world.all_reduce(data);
    std::vector<float> result(count);
    data.read(result.data(), result.size());
    const auto n = static_cast<float>(world.size());
    require(result == std::vector<float>(count, n * (n + 1) / 2), "the sum in a window is wrong");
    if (rank() == 0) std::printf("window %s\n", window.handle() != nullptr ? "used" : "not used");
  }
  error_of(
      [&] {
        const std::size_t bytes = world.rank() == 0 ? 8192 : 4096;
        const nccl::Window window(world, data.data(), bytes);
      },
      Errc::invalid_argument);
  require_works_on_device(world);
}

void split() {
  const Communicator world(MPI_COMM_WORLD);
  require_works_on_device(world);
  const Communicator alone = world.split(world.rank());
  require(alone.device() == world.device(), "the device changed");
  require_works_on_device(alone);
}

void deadline() {
  Options short_time;
  short_time.timeout = 2000ms;
  auto world = std::make_unique<Communicator>(MPI_COMM_WORLD, short_time);
  require_works_on_device(*world);
  const OnDevice<int> data({1});
  if (world->rank() == 0) {
    error_of([&] { world->all_reduce(data.span()); }, Errc::timeout);
    error_of([&] { world->all_reduce(data.span()); }, Errc::broken);
  }
  meet();
  world.reset();
  require_works_on_device(Communicator(MPI_COMM_WORLD));
}

void abort_from_a_thread() {
  const Communicator world(MPI_COMM_WORLD);
  require_works_on_device(world);
  AbortHandle handle = world.abort_handle();
  const OnDevice<int> data({1});
  std::thread other([&] {
    std::this_thread::sleep_for(500ms);
    handle.abort();
  });
  if (world.rank() == 0) error_of([&] { world.all_reduce(data.span()); }, Errc::aborted);
  other.join();
  meet();
}

// The caller's current device is what it was, and rank r holds nothing on other devices.
void current_device() {
  const int before = cuda::current_device();
  {
    const Communicator world(MPI_COMM_WORLD);
    require_works_on_device(world);
    require(cuda::current_device() == before, "the current device changed");
  }
  require(cuda::current_device() == before, "the current device changed");
}

void shared() {
  const std::string text = error_of(
      [] {
        Options required;
        required.nccl = NcclPolicy::required;
        const Communicator world(MPI_COMM_WORLD, required);
      },
      Errc::unsupported);
  require_in(text, "share device");
  const Communicator world(MPI_COMM_WORLD);
  require_works_on_device(world);
  const OnDevice<int> data({1});
  require(world.choose(all_reduce(data.span())).backend == "staged", "not staged");
}

void step(const char* name, const std::function<void()>& call) {
  const auto begin = std::chrono::steady_clock::now();
  call();
  meet();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  if (rank() == 0) std::printf("ok %s (%.2f s)\n", name, took.count());
  std::fflush(stdout);
}

}  // namespace
}  // namespace tutti::test

int main(int argc, char** argv) {
  using namespace tutti::test;
  const tutti::Environment environment(argc, argv);
  require_expected_size();
  if (argc > 1 && std::strcmp(argv[1], "shared") == 0) {
    step("shared device", shared);
    return 0;
  }
  step("libraries", libraries);
  step("current device", current_device);
  step("wrong pointers", wrong_pointers);
  step("large exchange", large_exchange);
  step("staged in pieces", staged_in_pieces);
  step("streams of every kind", streams_of_every_kind);
  step("graphs", [] { graphs(false); });
  step("graphs after the communicator", [] { graphs(true); });
  step("plans", plans);
  step("more than a group", more_than_a_group);
  step("device group", device_group);
  step("buffers", buffers);
  step("another current device", another_current_device);
  step("windows", windows);
  step("split", split);
  step("deadline", deadline);
  step("abort", abort_from_a_thread);
  return 0;
}
