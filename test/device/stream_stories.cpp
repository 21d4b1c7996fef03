// What is put on streams: the order, the calls that it takes, graphs (cases 104 and 106).
#include <cuda_runtime_api.h>

#include "cuda/runtime.hpp"
#include "cuda/stream.hpp"
#include "device/story.hpp"

namespace tutti::test {
namespace {

using namespace std::chrono_literals;

// Case 104: NCCL never gets the handles 0, 1 and 2.
void default_streams() {
  const Communicator world(MPI_COMM_WORLD);
  const OnDevice<int> data({1});
  int expected = 1;
  for (const std::uintptr_t stream : {0U, 1U, 2U}) {
    world.enqueue(all_reduce(data.span()), reinterpret_cast<cudaStream_t>(stream));
    expected *= world.size();
    runtime_function<decltype(cudaStreamSynchronize)>("cudaStreamSynchronize")(
        reinterpret_cast<cudaStream_t>(stream));
    require(data.values()[0] == expected, "the sum is wrong");
  }
  for (const Call& call : log_of_calls())
    if (call.name().rfind("nccl", 0) == 0)
      for (const char* handle : {"0x0", "0x1", "0x2", "(nil)"})
        require(call.at("stream") != handle, call.name() + " on stream " + handle);
}

void enqueued_in_order() {
  const Communicator world(MPI_COMM_WORLD);
  const cuda::DeviceGuard guard(world.device().ordinal());
  const cuda::Stream stream(cuda::Legacy::apart);
  const OnDevice<int> data({1}), out({0}), sums({0});
  world.enqueue(all_reduce(data.span()), stream.handle());
  // Staged, in the middle: a scan.
  world.enqueue({scan(data.span(), sums.span()), barrier()}, stream.handle());
  world.enqueue(all_reduce(sums.span(), out.span(), max), stream.handle());
  Plan plan = world.plan(all_reduce(out.span()));
  plan.enqueue(stream.handle());
  while (!stream.idle()) {
  }
  require(out.values()[0] == world.size() * world.size() * world.size(), "the order was lost");
}

// What an application that enqueues on its own stream again and again pays for: NCCL's call alone,
// where all is said beforehand.
void steady_enqueue() {
  const Communicator world(MPI_COMM_WORLD);
  const cuda::DeviceGuard guard(world.device().ordinal());
  const cuda::Stream stream(cuda::Legacy::apart);
  Buffer<int> buffer(4, world.device());
  const OnDevice<int> in({1, 2, 3, 4}), out({0, 0, 0, 0});
  struct Undeclared {
    int* data_;
    int* data() const { return data_; }
    std::size_t size() const { return 4; }
  } undeclared{out.data()};
  const auto calls_of = [&](const Operation& operation) {
    world.enqueue(operation, stream.handle());
    const std::size_t before = log_of_calls().size();
    world.enqueue(operation, stream.handle());
    return names_since(before);
  };
  using Names = std::vector<std::string>;
  require(calls_of(all_reduce(in.span(), out.span())) == Names{"ncclAllReduce"},
          "an all_reduce of declared memory makes other calls");
  require(calls_of(broadcast(buffer, 0)) == Names{"ncclBroadcast"},
          "a broadcast of a buffer makes other calls");
  const int next = (world.rank() + 1) % world.size();
  const int previous = (world.rank() + world.size() - 1) % world.size();
  require(calls_of(send_recv(in.span(), next, out.span(), previous)) ==
              Names{"ncclGroupStart", "ncclSend", "ncclRecv", "ncclGroupEnd"},
          "a send_recv of declared memory makes other calls");
  // A scalar's operator is made for the call.
  require(
      calls_of(all_reduce(in.span(), out.span(), pre_multiplied(3))) ==
          Names{"cudaGetDevice", "ncclRedOpCreatePreMulSum", "ncclAllReduce", "ncclRedOpDestroy"},
      "an all_reduce with a scalar makes other calls");
  // Where nothing is said, an old answer could be wrong.
  require(calls_of(broadcast(undeclared, 0)) ==
              Names{"cudaPointerGetAttributes", "cudaGetDevice", "ncclBroadcast"},
          "memory of an unknown kind is asked about once a call");
  while (!stream.idle()) {
  }
}

// The same operations again and again, on any stream, each time with the data of that time.
void repeated() {
  const Communicator world(MPI_COMM_WORLD);
  const cuda::DeviceGuard guard(world.device().ordinal());
  const cuda::Stream own(cuda::Legacy::apart);
  const int n = world.size(), me = world.rank();
  const OnDevice<int> data({me + 1}), sums({0}), all(std::vector<int>(static_cast<std::size_t>(n)));
  const auto legacy = reinterpret_cast<cudaStream_t>(std::uintptr_t{1});
  const int next = (me + 1) % n, previous = (me + n - 1) % n;
  const OnDevice<int> passed({0});
  int mine = me + 1, total = 0;
  for (int turn = 0; turn < 6; ++turn) {
    const cudaStream_t stream = turn == 3 ? legacy : own.handle();
    world.enqueue(all_reduce(data.span(), sums.span()), stream);
    world.enqueue(send_recv(data.span(), next, passed.span(), previous), stream);
    world.enqueue(all_reduce(data.span(), max), stream);
    world.enqueue(all_gather(data.span(), all.span()), stream);
    runtime_function<decltype(cudaStreamSynchronize)>("cudaStreamSynchronize")(stream);
    total = turn == 0 ? n * (n + 1) / 2 : n * n;
    mine = n;
    require(sums.values()[0] == total && data.values()[0] == mine, "a repeated reduction is wrong");
    require(all.values() == std::vector<int>(static_cast<std::size_t>(n), n),
            "a repeated all_gather is wrong");
    require(passed.values()[0] == (turn == 0 ? previous + 1 : n), "a repeated send_recv is wrong");
  }
}

// A repeated operation fails as a first one does.
void repeated_fails() {
  const Communicator world(MPI_COMM_WORLD);
  const cuda::DeviceGuard guard(world.device().ordinal());
  const cuda::Stream stream(cuda::Legacy::apart);
  const OnDevice<int> data({1});
  for (int turn = 0; turn < 2; ++turn) world.enqueue(all_reduce(data.span()), stream.handle());
  const std::string text =
      error_of([&] { world.enqueue(all_reduce(data.span()), stream.handle()); }, Errc::nccl);
  require_in(text, "all_reduce of 1 int32");
  require_in(text, "ncclAllReduce");
  require(count_calls("ncclCommAbort") > 0, "NCCL was not aborted");
  require_in(error_of([&] { world.all_reduce(data.span()); }, Errc::broken), "earlier failure");
}

// The group that a send_recv opens is closed when half of it fails, or the call after it would wait
// in it for ever.
void repeated_exchange_fails() {
  const Communicator world(MPI_COMM_WORLD);
  const cuda::DeviceGuard guard(world.device().ordinal());
  const cuda::Stream stream(cuda::Legacy::apart);
  const OnDevice<int> in({1}), out({0});
  const int peer = world.size() - 1 - world.rank();
  world.all_reduce(out.span());  // messages join nobody
  const Operation exchange = send_recv(in.span(), peer, out.span(), peer);
  for (int turn = 0; turn < 2; ++turn) world.enqueue(exchange, stream.handle());
  const std::string text = error_of([&] { world.enqueue(exchange, stream.handle()); }, Errc::nccl);
  require_in(text, "send_recv of 1 int32");
  require_in(text, "ncclSend and ncclRecv");
  require(count_calls("ncclGroupStart") == count_calls("ncclGroupEnd"), "a group stayed open");
}

// Captured once, launched often; and the graph goes before NCCL's communicator, whoever goes first.
void plan_as_graph() {
  auto world = std::make_unique<Communicator>(MPI_COMM_WORLD);
  const int n = world->size();
  const cuda::DeviceGuard guard(world->device().ordinal());
  const cuda::Stream stream(cuda::Legacy::apart);
  const OnDevice<int> a({1}), b({1}), out({0});
  auto plan = std::make_unique<Plan>(world->plan({all_reduce(a.span()), all_reduce(b.span())}));
  int expected = 1;
  for (int turn = 0; turn < 3; ++turn) {
    plan->run();
    plan->enqueue(stream.handle());
    while (!stream.idle()) {
    }
    plan->start().wait();
    expected *= n * n * n;
    require(a.values()[0] == expected && b.values()[0] == expected, "a replay is wrong");
  }
  require(count_calls("ncclAllReduce") == 4, "issued once, captured once");
  require(count_calls("cudaGraphInstantiateWithFlags") == 1 && count_calls("cudaGraphLaunch") == 8,
          "not replayed");
  const std::size_t before = log_of_calls().size();
  plan->enqueue(stream.handle());
  require(names_since(before) ==
              std::vector<std::string>{"cudaStreamIsCapturing", "cudaGetDevice", "cudaGraphLaunch"},
          "an enqueued plan makes other calls");
  // Messages are not captured: their two ends may be repeated differently.
  Plan messages =
      world->plan(send_recv(a.span(), 1 - world->rank(), out.span(), 1 - world->rank()));
  for (int turn = 0; turn < 3; ++turn) messages.run();
  require(count_calls("cudaGraphInstantiateWithFlags") == 1, "messages were captured");
  while (!stream.idle()) {
  }
  messages = Plan();
  world.reset();
  require(count_calls("ncclCommDestroy") == 0, "the plan keeps its communicator");
  plan.reset();
  require(position_of("cudaGraphExecDestroy") < position_of("ncclCommFinalize"),
          "the graph went last");
  require(count_calls("ncclCommDestroy") > 0, "the communicator did not go");
}

// A barrier has no memory that would tell its backend: it goes where the others of its group go.
void plan_with_a_barrier() {
  const Communicator world(MPI_COMM_WORLD);
  const cuda::DeviceGuard guard(world.device().ordinal());
  const cuda::Stream stream(cuda::Legacy::apart);
  const OnDevice<int> data({1});
  Plan plan = world.plan({all_reduce(data.span()), barrier()});
  int expected = 1;
  for (int turn = 0; turn < 3; ++turn) {
    plan.run();
    plan.enqueue(stream.handle());
    while (!stream.idle()) {
    }
    plan.start().wait();
    expected *= world.size() * world.size() * world.size();
    require(data.values()[0] == expected, "a plan is wrong");
  }
  // Once as calls, once captured; each time the barrier's own beside the sum.
  require(count_calls("ncclAllReduce") == 4, "the barrier went elsewhere");
  world.run({barrier(), all_reduce(data.span())});
  world.enqueue({barrier(), all_reduce(data.span())}, stream.handle());
  require(count_calls("ncclAllReduce") == 8, "the barrier of a group went elsewhere");
  while (!stream.idle()) {
  }
  require(data.values()[0] == expected * world.size() * world.size(), "a group is wrong");
}

// Messages do not join NCCL, so neither can the barrier of their group be NCCL's.
void messages_and_a_barrier_before_joining() {
  const Communicator world(MPI_COMM_WORLD);
  const OnDevice<int> own({world.rank()}), theirs({-1});
  const int other = 1 - world.rank();
  const Operation exchange = send_recv(own.span(), other, theirs.span(), other);
  world.run({barrier(), exchange});
  require(theirs.values()[0] == other, "a group is wrong");
  world.start({exchange, barrier()}).wait();
  world.plan({barrier(), exchange}).run();
  require(count_calls("ncclAllReduce") == 0, "the barrier joined NCCL");
  require_works_on_device(world);
  world.run({barrier(), exchange});
}

void a_barrier_anywhere_in_an_enqueued_group() {
  const Communicator world(MPI_COMM_WORLD, options(NcclPolicy::automatic, 5000ms));
  const cuda::DeviceGuard guard(world.device().ordinal());
  const cuda::Stream stream(cuda::Legacy::apart);
  const OnDevice<int> own({world.rank()}), theirs({-1});
  const int other = 1 - world.rank();
  const Operation exchange = send_recv(own.span(), other, theirs.span(), other);
  if (world.rank() == 0)
    world.enqueue({barrier(), exchange}, stream.handle());
  else
    world.enqueue({exchange, barrier()}, stream.handle());
  while (!stream.idle()) {
  }
  require(theirs.values()[0] == other, "a group is wrong");
}

void graph_goes_before_the_abort() {
  const Communicator world(MPI_COMM_WORLD);
  const OnDevice<int> data({1});
  Plan plan = world.plan(all_reduce(data.span()));
  for (int turn = 0; turn < 2; ++turn) plan.run();
  meet();
  world.abort();
  error_of([&] { plan.run(); }, Errc::aborted);
}

// The answer about an address is kept for what the caller says of it, never for what it is.
void reused_address() {
  const Communicator world(MPI_COMM_WORLD);
  require_works_on_device(world);
  std::vector<int> host(4, 1);
  const OnDevice<int> data({1, 1, 1, 1});
  world.all_reduce(data.span());
  const std::size_t before = count_calls("ncclAllReduce");
  world.all_reduce(host);
  require(host[0] == world.size() && count_calls("ncclAllReduce") == before, "not on the host");
  for (int turn = 0; turn < 2; ++turn)
    require_in(error_of([&] { world.all_reduce(DeviceSpan<int>(host.data(), 4)); },
                        Errc::invalid_argument),
               "pageable");
}

// Case 106.
void capture() {
  Options eager;
  eager.join = NcclJoin::eager;
  cudaGraph_t graph = nullptr;
  const auto begin = runtime_function<decltype(cudaStreamBeginCapture)>("cudaStreamBeginCapture");
  const auto end = runtime_function<decltype(cudaStreamEndCapture)>("cudaStreamEndCapture");
  const Communicator lazy(MPI_COMM_WORLD), world(MPI_COMM_WORLD, eager);
  const cuda::DeviceGuard guard(world.device().ordinal());
  const cuda::Stream stream(cuda::Legacy::apart);
  const OnDevice<int> data({1}), sums({0});
  require(begin(stream.handle(), cudaStreamCaptureModeGlobal) == cudaSuccess, "no capture");
  const std::size_t before = log_of_calls().size();
  require_in(
      error_of([&] { lazy.enqueue(all_reduce(data.span()), stream.handle()); }, Errc::unsupported),
      "being captured");
  require_in(error_of([&] { world.enqueue(scan(data.span(), sums.span()), stream.handle()); },
                      Errc::unsupported),
             "being captured");
  world.enqueue(all_reduce(data.span()), stream.handle());
  for (const char* name : {"cudaStreamQuery", "cudaEventQuery", "cudaStreamSynchronize",
                           "cudaMalloc", "cudaHostAlloc"})
    require(position_of(name, before) == log_of_calls().size(),
            std::string(name) + " under capture");
  require(end(stream.handle(), &graph) == cudaSuccess, "the capture was spoilt");
  cudaGraphExec_t replay = nullptr;
  require(runtime_function<decltype(cudaGraphInstantiate)>("cudaGraphInstantiate")(
              &replay, graph, 0) == cudaSuccess,
          "no graph");
  int expected = 1;
  for (int turn = 0; turn < 10; ++turn) {
    require(runtime_function<decltype(cudaGraphLaunch)>("cudaGraphLaunch")(
                replay, stream.handle()) == cudaSuccess,
            "no launch");
    expected *= world.size();
  }
  while (!stream.idle()) {
  }
  require(data.values()[0] == expected, "the replays are wrong");
}

}  // namespace

std::vector<Told> stream_stories() {
  return {
      {"default_streams", nullptr, default_streams},
      {"enqueued_in_order", nullptr, enqueued_in_order},
      {"steady_enqueue", nullptr, steady_enqueue},
      {"repeated", nullptr, repeated},
      {"repeated_fails", "fail ncclAllReduce call=3 code=3", repeated_fails},
      {"repeated_exchange_fails", "fail ncclRecv call=3 code=3", repeated_exchange_fails},
      {"plan_as_graph", nullptr, plan_as_graph},
      {"plan_with_a_barrier", nullptr, plan_with_a_barrier},
      {"messages_and_a_barrier_before_joining", nullptr, messages_and_a_barrier_before_joining},
      {"a_barrier_anywhere_in_an_enqueued_group", nullptr, a_barrier_anywhere_in_an_enqueued_group},
      {"graph_goes_before_the_abort", nullptr, graph_goes_before_the_abort},
      {"reused_address", nullptr, reused_address},
      {"capture", nullptr, capture},
  };
}

}  // namespace tutti::test
