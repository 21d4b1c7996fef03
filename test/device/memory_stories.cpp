// What operations borrow, and what a process keeps: block counts that go, memory that is both
// sides, the device of a communicator that was split.
#include <filesystem>
#include <fstream>

#include "device/story.hpp"
#include "diagnostics/recorder.hpp"

namespace tutti::test {
namespace {

using namespace std::chrono_literals;

// Only the memory has to stay: not the counts and offsets.
void blocks_may_go() {
  const Communicator world(MPI_COMM_WORLD, options(NcclPolicy::never));
  const auto n = static_cast<std::size_t>(world.size());
  const OnDevice<int> in(std::vector<int>(2 * n, world.rank() + 1)),
      out(std::vector<int>(2 * n, 0));
  std::vector<std::size_t> counts(n, 2), offsets(n);
  std::vector<int> expected;
  for (std::size_t r = 0; r < n; ++r) {
    offsets[r] = 2 * (n - 1 - r);
    expected.insert(expected.end(), 2, static_cast<int>(n - r));
  }
  const Blocks blocks(counts, offsets);
  const Operation operation = all_to_all(in.span(), blocks, out.span(), blocks);
  Plan plan = world.plan(operation);
  Work work = world.start(operation);
  counts.assign(n, 1000000);
  offsets.assign(n, 1000000);
  work.wait();
  require(out.values() == expected, "of a started operation");
  for (int turn = 0; turn < 2; ++turn) {
    plan.run();
    require(out.values() == expected, "of a plan");
  }
}

// NCCL would overwrite what it has yet to send.
void exchange_in_place() {
  const Communicator world(MPI_COMM_WORLD, options(NcclPolicy::required));
  const int n = world.size(), next = (world.rank() + 1) % n, before = (world.rank() + n - 1) % n;
  const OnDevice<int> data({world.rank(), 10 * world.rank()});
  world.send_recv(data.span(), next, data.span(), before);
  require(data.values() == std::vector<int>{before, 10 * before}, "the message is wrong");
  std::string sent, received;
  for (const Call& call : log_of_calls()) {
    if (call.name() == "ncclSend") sent = call.at("send");
    if (call.name() == "ncclRecv") received = call.at("recv");
  }
  require(!sent.empty() && !received.empty() && sent != received, "one memory was given to both");
}

// A process has one device, also when it is chosen after the split.
void split_before_the_device() {
  const Communicator world(MPI_COMM_WORLD);
  const Communicator alone = world.split(world.rank());
  const Communicator again = alone.duplicate();
  require(again.device().ordinal() == rank(), "the split has another device");
  require_works_on_device(again);
  require(world.device().ordinal() == rank(), "the device changed");
}

// Row 19: registered together, deregistered once, in any order of destruction.
void windows() {
  for (const bool window_first : {false, true}) {
    auto world = std::make_unique<Communicator>(MPI_COMM_WORLD);
    const Buffer<int> buffer(1024, *world);
    auto window = std::make_unique<nccl::Window>(*world, const_cast<int*>(buffer.data()), 4096);
    require(window->handle() != nullptr, "no handle");
    require_works_on_device(*world);
    if (window_first) window.reset();
    world.reset();
  }
  require(count_calls("ncclCommWindowRegister") == 2, "not registered");
  require(count_calls("ncclCommWindowDeregister") == 2, "not deregistered once each");
}

// What one rank gives wrongly is told to all, and nobody enters NCCL.
void wrong_windows() {
  const Communicator world(MPI_COMM_WORLD);
  Buffer<char> buffer(8192, world);
  const auto refused = [&](char* memory, std::size_t bytes, const char* why) {
    const std::string text =
        error_of([&] { const nccl::Window window(world, memory, bytes); }, Errc::invalid_argument);
    require_in(text, why);
    require_in(text, "rank 1");
  };
  std::vector<char> host(16384);
  char* const pageable =
      reinterpret_cast<char*>((reinterpret_cast<std::uintptr_t>(host.data()) + 4095) / 4096 * 4096);
  const bool first = world.rank() == 0;
  refused(buffer.data() + (first ? 0 : 64), 4096, "no multiple of 4096");
  refused(buffer.data(), first ? 4096 : 8192, "they must be equal");
  refused(first ? buffer.data() : pageable, 4096, "no device memory");
  require(count_calls("ncclCommWindowRegister") == 0, "NCCL was entered");
  require_works_on_device(world);
}

void window_of_an_old_library() {
  const Communicator world(MPI_COMM_WORLD), without(MPI_COMM_WORLD, options(NcclPolicy::never));
  Buffer<char> buffer(4096, world);
  const auto refusal = [&](const Communicator& communicator) {
    return error_of([&] { const nccl::Window window(communicator, buffer.data(), 4096); },
                    Errc::unsupported);
  };
  require_in(refusal(world), "ncclCommWindowRegister needs NCCL 2.27.3, loaded is 2.23");
  require_in(refusal(without), "Options::nccl is never");
  require_works_on_device(world);
}

// A window that not all ranks come to is a call like another: it is told who is missing, others see
// it, and it is recorded.
void late_window() {
  std::string directory = "/tmp/tutti-records-XXXXXX";
  require(mkdtemp(directory.data()) != nullptr, "no directory");
  setenv("TUTTI_RECORD", directory.c_str(), 1);
  const Communicator world(MPI_COMM_WORLD, options(NcclPolicy::automatic, 400ms));
  require_works_on_device(world);
  Buffer<char> buffer(4096, world);
  const auto make = [&] { const nccl::Window window(world, buffer.data(), 4096); };
  make();
  if (world.rank() == 0) {
    const std::string told = error_of(make, Errc::timeout);
    require_in(told, "window of 4096 bytes: ");
    require_in(told, "rank 1: not there; its last was window of 4096 bytes (call 2)");
    Recorder::opened()->write_json();
    std::string records;
    for (const auto& entry : std::filesystem::directory_iterator(directory))
      if (entry.path().extension() == ".json") {
        std::ifstream file(entry.path());
        records.assign(std::istreambuf_iterator<char>(file), {});
      }
    const std::string last = records.substr(records.rfind("\"step\""));
    require_in(last, "\"step\": 3, \"verb\": \"window\"");
    require_in(last, "\"count\": 4096");
    require_in(last, "\"state\": \"failed\"");
  }
  meet();
  if (world.rank() == 1) {
    const std::string told = error_of([&] { world.barrier(); }, Errc::broken);
    require_in(told, "rank 0 gave up; its last was window of 4096 bytes (call 3)");
  }
  meet();
  std::filesystem::remove_all(directory);
}

}  // namespace

std::vector<Told> memory_stories() {
  return {
      {"blocks_may_go", nullptr, blocks_may_go},
      {"exchange_in_place", nullptr, exchange_in_place},
      {"split_before_the_device", nullptr, split_before_the_device},
      {"windows", nullptr, windows},
      {"wrong_windows", nullptr, wrong_windows},
      {"window_of_an_old_library", "version 22304", window_of_an_old_library},
      {"late_window", nullptr, late_window},
  };
}

}  // namespace tutti::test
