// What reaches NCCL and CUDA for an operation, and what never does (cases 81 to 115).
#include <cuda_runtime_api.h>

#include "cuda/runtime.hpp"
#include "cuda/stream.hpp"
#include "device/story.hpp"

namespace tutti::test {
namespace {

std::vector<std::string> names_since(std::size_t before) {
  std::vector<std::string> names;
  const std::vector<Call> calls = log_of_calls();
  for (std::size_t i = before; i < calls.size(); ++i) names.push_back(calls[i].name());
  return names;
}

// Case 89: and the next operation works.
void wrong_pointers() {
  const Communicator world(MPI_COMM_WORLD);
  require_works_on_device(world);
  std::vector<int> pageable(4);
  require_in(error_of([&] { world.all_reduce(DeviceSpan<int>(pageable.data(), 4)); },
                      Errc::invalid_argument),
             "pageable");
  require_in(
      error_of([&] { world.all_reduce(DeviceSpan<int>(nullptr, 4)); }, Errc::invalid_argument),
      "null");
  require_works_on_device(world);
}

// Case 81: a plain range over device memory is known for what it is; MPI never sees it.
void device_memory_in_a_span() {
  const Communicator world(MPI_COMM_WORLD);
  const OnDevice<int> data({1, 2});
  std::vector<int> host{1};
  world.all_reduce(host);
  struct Pretender {
    int* data_;
    int* data() const { return data_; }
    std::size_t size() const { return 2; }
  } span{data.data()};
  world.all_reduce(span);
  require(data.values() == std::vector<int>{world.size(), 2 * world.size()}, "the sum is wrong");
  require(count_calls("ncclAllReduce") == 1, "not by NCCL");
}

// Case 91.
void nothing_to_send() {
  const Communicator world(MPI_COMM_WORLD);
  require_works_on_device(world);
  const DeviceSpan<int> none;
  world.run({all_reduce(none), broadcast(none, 0), send_recv(none, 0, none, 0)});
  for (const Call& call : log_of_calls())
    if (call.at("send") == "0x0" || call.at("send") == "(nil)")
      require(call.at("count") == "0", "null with a count");
}

// Case 92.
void exchange_in_one_group() {
  const Communicator world(MPI_COMM_WORLD);
  require_works_on_device(world);
  const std::size_t before = log_of_calls().size();
  const OnDevice<int> in({world.rank()}), out({-1});
  const int peer = (world.rank() + 1) % world.size(),
            from = (world.rank() + world.size() - 1) % world.size();
  world.send_recv(in.span(), peer, out.span(), from);
  require(out.values()[0] == from, "the exchange is wrong");
  const std::size_t start = position_of("ncclGroupStart", before),
                    end = position_of("ncclGroupEnd", before);
  for (const char* name : {"ncclSend", "ncclRecv"})
    require(start < position_of(name, before) && position_of(name, before) < end,
            "outside the group");
}

// NCCL takes 2048 calls in a group. More are cut so that each message's two ends stay together,
// although one rank has all its sends first and the other all its receives.
void more_than_a_group() {
  constexpr std::size_t messages = 2500;
  const Communicator world(MPI_COMM_WORLD);
  require_works_on_device(world);
  std::vector<int> values(messages);
  for (std::size_t i = 0; i < messages; ++i) values[i] = static_cast<int>(i) * 2 + world.rank();
  const OnDevice<int> in(values), out(std::vector<int>(messages, -1)), sum_of({1});
  const int peer = 1 - world.rank();
  std::vector<Operation> sends, group;
  for (std::size_t i = 0; i < messages; ++i) {
    sends.push_back(send(in.span().subspan(i, 1), peer));
    group.push_back(recv(out.span().subspan(i, 1), peer));
  }
  group.insert(world.rank() == 0 ? group.begin() : group.end(), sends.begin(), sends.end());
  group.push_back(all_reduce(sum_of.span()));
  const std::size_t before = log_of_calls().size();
  world.run(OperationList(group.data(), group.size()));
  const std::vector<int> got = out.values();
  for (std::size_t i = 0; i < messages; ++i)
    require(got[i] == static_cast<int>(i) * 2 + peer, "message " + std::to_string(i));
  require(sum_of.values()[0] == world.size(), "the sum is wrong");
  std::size_t inside = 0, most = 0, groups = 0;
  for (const std::string& name : names_since(before)) {
    if (name == "ncclGroupStart") inside = 0;
    if (name == "ncclSend" || name == "ncclRecv" || name == "ncclAllReduce") ++inside;
    if (name == "ncclGroupEnd") ++groups, most = std::max(most, inside);
  }
  require(groups > 1 && most <= 2048, "groups of " + std::to_string(most));
}

// Row 9: by whatever backend; on host memory tags are there.
void tags_on_device_memory() {
  for (const NcclPolicy policy : {NcclPolicy::automatic, NcclPolicy::never}) {
    const Communicator world(MPI_COMM_WORLD, options(policy));
    require_works_on_device(world);
    const OnDevice<int> in({world.rank()}), out({-1});
    const int peer = 1 - world.rank();
    for (const Operation& operation : {send(in.span(), peer, 3), recv(out.span(), peer, 3),
                                       send_recv(in.span(), peer, out.span(), peer, 3)}) {
      const std::string text = error_of([&] { world.run(operation); }, Errc::invalid_argument);
      require_in(text, "tag 3");
      require_in(text, std::string(to_string(operation.kind)));
    }
    world.send_recv(in.span(), peer, out.span(), peer);
    require(out.values()[0] == peer, "the exchange is wrong");
    std::vector<int> host_in{world.rank()}, host_out{-1};
    world.send_recv(host_in, peer, host_out, peer, 3);
    require(host_out[0] == peer, "the exchange on the host is wrong");
  }
}

// Case 94: the mark comes after the end of the group, and what waits for it sees the result.
void marks_after_the_group() {
  const Communicator world(MPI_COMM_WORLD);
  require_works_on_device(world);
  const OnDevice<int> a({1}), b({2});
  const std::size_t before = log_of_calls().size();
  Work work = world.start({all_reduce(a.span()), all_reduce(b.span())});
  const std::size_t end = position_of("ncclGroupEnd", before);
  require(position_of("cudaEventRecord", end) < log_of_calls().size(), "no mark after the group");
  work.join(nullptr);
  require(a.values()[0] == world.size() && b.values()[0] == 2 * world.size(), "the sums are wrong");
  work.wait();
}

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

// What an application that enqueues on its own stream again and again pays for: which device is
// current is asked because the caller may have changed it; nothing else may change.
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
  require(calls_of(all_reduce(in.span(), out.span())) == Names{"cudaGetDevice", "ncclAllReduce"},
          "an all_reduce of declared memory makes other calls");
  require(calls_of(broadcast(buffer, 0)) == Names{"cudaGetDevice", "ncclBroadcast"},
          "a broadcast of a buffer makes other calls");
  // Where nothing is said, an old answer could be wrong.
  require(calls_of(broadcast(undeclared, 0)) ==
              Names{"cudaPointerGetAttributes", "cudaGetDevice", "ncclBroadcast"},
          "memory of an unknown kind is asked about once a call");
  while (!stream.idle()) {
  }
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

// Case 109.
void scalar_bits() {
  const Communicator world(MPI_COMM_WORLD);
  const OnDevice<bfloat16> data({bfloat16(3.0f)});
  world.all_reduce(data.span(), pre_multiplied(0.5));
  require(static_cast<float>(data.values()[0]) == 1.5f * static_cast<float>(world.size()),
          "the sum is wrong");
  for (const Call& call : log_of_calls())
    if (call.name() == "ncclRedOpCreatePreMulSum")
      require(call.at("bits") == "16128" || call.at("bits") == "0x3f00", "bits " + call.at("bits"));
  require(count_calls("ncclRedOpCreatePreMulSum") == 1, "no operator was made");
  require(count_calls("ncclRedOpDestroy") == 1, "it was not destroyed");
}

void scalar_on_the_device() {
  const Communicator world(MPI_COMM_WORLD);
  const OnDevice<float> data({3}), scalar({0.5f});
  world.all_reduce(data.span(), pre_multiplied_on_device(scalar.data()));
  require(data.values()[0] == 1.5f * static_cast<float>(world.size()), "the sum is wrong");
  const Communicator staged(MPI_COMM_WORLD, options(NcclPolicy::never));
  const OnDevice<float> other({3});
  staged.all_reduce(other.span(), pre_multiplied_on_device(scalar.data()));
  require(other.values()[0] == 1.5f * static_cast<float>(world.size()), "the staged sum is wrong");
}

// Case 108: in any order of destruction.
void buffers_and_communicators() {
  for (const bool buffer_first : {false, true}) {
    auto world = std::make_unique<Communicator>(MPI_COMM_WORLD);
    auto early = std::make_unique<Buffer<int>>(1024, *world);
    require_works_on_device(*world);
    auto late = std::make_unique<Buffer<int>>(1024, *world);
    world->run(broadcast(*late, 0));
    if (buffer_first) early.reset();
    world.reset();
  }
  require(count_calls("ncclCommRegister") == 4,
          "registered " + std::to_string(count_calls("ncclCommRegister")));
  require(count_calls("ncclCommDeregister") == 4, "not deregistered once each");
  require(count_calls("ncclMemAlloc") == count_calls("ncclMemFree"), "not freed once each");
  for (const Call& call : log_of_calls())
    require(call.name() != "ncclCommDeregister" || call.at("result") == "0", "refused");
}

// Case 100.
void order_of_the_end() {
  { require_works_on_device(Communicator(MPI_COMM_WORLD)); }
  const std::size_t finalize = position_of("ncclCommFinalize"),
                    destroy = position_of("ncclCommDestroy", finalize);
  const std::size_t stream = position_of("cudaStreamDestroy", destroy);
  require(finalize < destroy && destroy < stream && stream < log_of_calls().size(),
          "the order is wrong");
  require(position_of("cudaStreamDestroy") == stream, "a stream went first");
}

// Row 16.
void host_through_nccl() {
  Options through;
  through.host_path = HostPath::nccl;
  const Communicator world(MPI_COMM_WORLD, through);
  require_works(world);
  require(count_calls("ncclAllReduce") == 1, "not by NCCL");
  std::vector<std::int16_t> shorts{1};
  world.all_reduce(shorts);
  require(shorts[0] == world.size(), "what NCCL cannot do goes by MPI");
}

// Cases 75 and 113.
void mismatch_is_told() {
  Options checked;
  checked.check = Check::global;
  const Communicator world(MPI_COMM_WORLD, checked);
  const OnDevice<int> data({1, 2});
  error_of([&] { world.all_reduce(DeviceSpan<int>(data.data(), world.rank() == 0 ? 1 : 2)); },
           Errc::mismatch);
  require_works_on_device(world);
}

}  // namespace

std::vector<Told> operation_stories() {
  return {
      {"wrong_pointers", nullptr, wrong_pointers},
      {"device_memory_in_a_span", nullptr, device_memory_in_a_span},
      {"nothing_to_send", nullptr, nothing_to_send},
      {"exchange_in_one_group", nullptr, exchange_in_one_group},
      {"more_than_a_group", nullptr, more_than_a_group},
      {"tags_on_device_memory", nullptr, tags_on_device_memory},
      {"marks_after_the_group", nullptr, marks_after_the_group},
      {"default_streams", nullptr, default_streams},
      {"enqueued_in_order", nullptr, enqueued_in_order},
      {"steady_enqueue", nullptr, steady_enqueue},
      {"plan_as_graph", nullptr, plan_as_graph},
      {"graph_goes_before_the_abort", nullptr, graph_goes_before_the_abort},
      {"reused_address", nullptr, reused_address},
      {"capture", nullptr, capture},
      {"scalar_bits", nullptr, scalar_bits},
      {"scalar_on_the_device", nullptr, scalar_on_the_device},
      {"buffers_and_communicators", nullptr, buffers_and_communicators},
      {"order_of_the_end", nullptr, order_of_the_end},
      {"host_through_nccl", nullptr, host_through_nccl},
      {"mismatch_is_told", nullptr, mismatch_is_told},
  };
}

}  // namespace tutti::test
