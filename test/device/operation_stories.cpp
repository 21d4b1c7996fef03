// What reaches NCCL and CUDA for an operation, and what never does (cases 81 to 115).
#include <cuda_runtime_api.h>

#include <filesystem>

#include "cuda/runtime.hpp"
#include "cuda/stream.hpp"
#include "device/story.hpp"
#include "diagnostics/recorder.hpp"

namespace tutti::test {
namespace {

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

// What served messages before NCCL was joined is not told of those after it.
void recorded_through_nccl() {
  std::string directory = "/tmp/tutti-records-XXXXXX";
  require(mkdtemp(directory.data()) != nullptr, "no directory");
  require(setenv("TUTTI_RECORD", directory.c_str(), 1) == 0, "no variable");
  Options through;
  through.host_path = HostPath::nccl;
  const Communicator world(MPI_COMM_WORLD, through);
  std::vector<float> in(8, 1), out(8);
  const auto pass_on = [&] {
    world.send_recv(in, 1 - world.rank(), out, 1 - world.rank());
    Recorder::opened()->write_json();
    for (const auto& entry : std::filesystem::directory_iterator(directory))
      if (entry.path().extension() == ".json") {
        std::ifstream file(entry.path());
        const std::string words{std::istreambuf_iterator<char>(file), {}};
        return words.substr(words.rfind("\"backend\""), 16);
      }
    return std::string();
  };
  for (int i = 0; i < 3; ++i) require(pass_on() == "\"backend\": \"mpi\"", "before NCCL is joined");
  world.all_reduce(in, out);
  require(pass_on() == "\"backend\": \"nccl", "after");
  std::filesystem::remove_all(directory);
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
      {"scalar_bits", nullptr, scalar_bits},
      {"scalar_on_the_device", nullptr, scalar_on_the_device},
      {"buffers_and_communicators", nullptr, buffers_and_communicators},
      {"order_of_the_end", nullptr, order_of_the_end},
      {"host_through_nccl", nullptr, host_through_nccl},
      {"recorded_through_nccl", nullptr, recorded_through_nccl},
      {"mismatch_is_told", nullptr, mismatch_is_told},
  };
}

}  // namespace tutti::test
