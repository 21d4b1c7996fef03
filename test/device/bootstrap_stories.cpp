// How the ranks come together, and what keeps them from it (cases 1 to 36).
#include <cuda_runtime_api.h>

#include <set>

#include "device/story.hpp"

namespace tutti::test {
namespace {

std::string refusal_of_required(Errc code = Errc::unsupported) {
  const std::string text = error_of(
      [] { const Communicator world(MPI_COMM_WORLD, options(NcclPolicy::required)); }, code);
  return text.substr(0, text.find("[rank"));
}

// Case 1.
void shared_device() {
  const std::string text =
      error_of([] { const Communicator world(MPI_COMM_WORLD, options(NcclPolicy::required)); },
               Errc::unsupported);
  require_in(text, "ranks 1 and 3 share device 3");
  require_in(text, "fewer ranks");
  require(count_calls("ncclCommInitRankConfig") == 0, "NCCL was entered");
  const Communicator world(MPI_COMM_WORLD);
  require_works_on_device(world);
  const OnDevice<int> data({1});
  const Choice choice = world.choose(all_reduce(data.span()));
  require(choice.backend == "staged", "served by " + choice.backend);
  require_in(choice.reason, "ranks 1 and 3");
  require(count_calls("ncclCommInitRankConfig") == 0, "NCCL was entered");
}

// Case 2.
void too_few_devices() {
  const std::string text =
      error_of([] { const Communicator world(MPI_COMM_WORLD, options(NcclPolicy::required)); },
               Errc::unsupported);
  require_in(text, "local rank 2 of 4");
  require_in(text, "only 2 devices");
  require(count_calls("ncclCommInitRankConfig") == 0, "NCCL was entered");
  require_works_on_device(Communicator(MPI_COMM_WORLD));
}

// Case 6.
void fresh_ids() {
  const Communicator first(MPI_COMM_WORLD), second = first.duplicate();
  require_works_on_device(first);
  require_works_on_device(second);
  std::set<std::string> ids;
  for (const Call& call : log_of_calls())
    if (call.name() == "ncclCommInitRankConfig") ids.insert(call.at("id"));
  require(ids.size() == 2, "two communicators, " + std::to_string(ids.size()) + " ids");
  require(count_calls("ncclGetUniqueId") == (rank() == 0 ? 2U : 0U),
          "ids are made by rank 0 alone");
}

// Case 7.
void null_handle() {
  const Communicator world(MPI_COMM_WORLD);
  const OnDevice<int> data({1});
  const std::string text = error_of([&] { world.all_reduce(data.span()); }, Errc::nccl);
  require_in(text, "rank 1: ");
  require_in(text, "gave no communicator");
  for (const Call& call : log_of_calls())
    require(call.at("comm") != "0" && call.at("comm") != "(nil)" && call.at("comm") != "0x0",
            "a null handle was used");
}

// Case 10.
void one_rank_fails() {
  const Communicator world(MPI_COMM_WORLD);
  const OnDevice<int> data({1});
  const std::string text = error_of([&] { world.all_reduce(data.span()); }, Errc::nccl);
  require_in(text, "rank 2: ");
  require_in(text, "no route to the moon");
  require(count_calls("ncclCommAbort") == (rank() == 2 ? 0U : 1U), "the others abort theirs");
  require_works(world);
  require_works_on_device(world);
}

void no_id() {
  const Communicator world(MPI_COMM_WORLD);
  const OnDevice<int> data({1});
  const std::string text = error_of([&] { world.all_reduce(data.span()); }, Errc::nccl);
  require_in(text, "rank 0 could not make");
  require(count_calls("ncclCommInitRankConfig") == 0, "NCCL was entered");
  require_works_on_device(world);
}

// Case 31: both codes mean that there is no device.
void no_device() {
  require(device_count() == 0, "devices were counted");
  require(!nccl_available(), "NCCL is available");
  require_in(nccl_available().reason, "no device");
  const Communicator world(MPI_COMM_WORLD);
  require_works(world);
  require(!world.device(), "a device was chosen");
  refusal_of_required();
  Buffer<float> buffer(4, world.device());
  require(!buffer.device(), "a buffer on no device");
  const float ones[] = {1, 1, 1, 1};
  buffer.write(ones, 4);
  world.all_reduce(buffer);
  require(buffer.data()[0] == static_cast<float>(world.size()), "the buffer's sum is wrong");
}

void one_rank_without_device() {
  const std::string text =
      error_of([] { const Communicator world(MPI_COMM_WORLD, options(NcclPolicy::required)); },
               Errc::unsupported);
  require_in(text, "rank 1 ");
  require_works(Communicator(MPI_COMM_WORLD));
}

// Case 32, and 88: nothing is made on a device that is not this rank's, and the caller's stays
// current.
void own_device_only() {
  {
    const Communicator world(MPI_COMM_WORLD);
    Buffer<int> data(4, world.device());
    const int ones[] = {1, 1, 1, 1};
    data.write(ones, 4);
    world.run({all_reduce(data), barrier()});
    const std::vector<int> other{1};
    error_of([&] { world.run(all_reduce(DeviceSpan<const int>(other.data(), 1), data)); },
             Errc::invalid_argument);
  }
  const std::string own = std::to_string(rank());
  for (const Call& call : log_of_calls()) {
    const bool makes = call.name() == "cudaMalloc" || call.name() == "cudaStreamCreateWithFlags" ||
                       call.name() == "cudaEventCreateWithFlags" || call.name() == "cudaHostAlloc";
    const bool nccl = call.name().rfind("nccl", 0) == 0 && call.name() != "ncclGetVersion" &&
                      call.name() != "ncclGetUniqueId";
    if (makes || nccl)
      require(call.at("device") == own, call.name() + " on device " + call.at("device"));
  }
  int current = -1;
  runtime_function<decltype(cudaGetDevice)>("cudaGetDevice")(&current);
  require(current == 0, "the current device was left at another");
}

void split_keeps_the_device() {
  const Communicator world(MPI_COMM_WORLD);
  const int own = world.device().ordinal();
  const Communicator half = world.split(world.rank() % 2);
  require(half.device().ordinal() == own, "the device changed");
  require_works_on_device(half);
}

// Case 124, 136.
void old_library() {
  require_in(nccl_available().reason, "2.10.0");
  require_in(nccl_available().reason, "2.14.3");
  require_works_on_device(Communicator(MPI_COMM_WORLD));
}

void missing_symbol() {
  require_in(nccl_available().reason, "ncclReduceScatter");
  require_works_on_device(Communicator(MPI_COMM_WORLD));
}

// Case 102.
void in_progress() {
  require_works_on_device(Communicator(MPI_COMM_WORLD));
}

void in_progress_then_error() {
  const Communicator world(MPI_COMM_WORLD);
  const OnDevice<int> data({1});
  require_in(error_of([&] { world.all_reduce(data.span()); }, Errc::nccl), "code 3");
}

void in_progress_for_ever() {
  const Communicator world(MPI_COMM_WORLD,
                           options(NcclPolicy::automatic, std::chrono::milliseconds(400)));
  const OnDevice<int> data({1});
  const std::string text = error_of([&] { world.all_reduce(data.span()); }, Errc::timeout);
  require_in(text, "NCCL_SOCKET_IFNAME");
}

void policies() {
  const OnDevice<int> data({1});
  Options never = options(NcclPolicy::never);
  const Communicator staged(MPI_COMM_WORLD, never);
  require_works_on_device(staged);
  require_in(staged.explain(all_reduce(data.span())), "never");
  never.fallback = Fallback::forbid;
  const Communicator nothing(MPI_COMM_WORLD, never);
  require_in(error_of([&] { nothing.all_reduce(data.span()); }, Errc::unsupported), "forbid");
  require(count_calls("ncclCommInitRankConfig") == 0, "NCCL was entered");
  Options eager;
  eager.join = NcclJoin::eager;
  const Communicator joined(MPI_COMM_WORLD, eager);
  require(count_calls("ncclCommInitRankConfig") == 1, "NCCL was not joined at once");
  require(nccl::handle_of(joined) != nullptr, "no handle");
  require_works_on_device(joined);
}

// Case 140: told by runtimes.sh which of them it is.
void runtime_of_the_loader() {
  const LoadedLibrary runtime = device_libraries().runtime;
  require(runtime.path == std::getenv("EXPECTED_RUNTIME"), "it is " + runtime.path);
  const std::string major = runtime.path.substr(runtime.path.rfind('.') + 1);
  require(runtime.version.rfind(major + '.', 0) == 0, "it is version " + runtime.version);
  require_in(describe_device_libraries(), runtime.path + " (" + runtime.version);
  require_works_on_device(Communicator(MPI_COMM_WORLD));
}

}  // namespace

std::vector<Told> bootstrap_stories() {
  return {
      {"runtime_of_the_loader", nullptr, runtime_of_the_loader},
      {"shared_device", "device uuid=1:3", shared_device},
      {"too_few_devices", "device count=2", too_few_devices},
      {"fresh_ids", nullptr, fresh_ids},
      {"null_handle", "null ncclCommInitRankConfig rank=1 times=1", null_handle},
      {"one_rank_fails", "fail ncclCommInitRankConfig rank=2 times=1 text='no route to the moon'",
       one_rank_fails},
      {"no_id", "fail ncclGetUniqueId times=1", no_id},
      {"old_driver", "devices error=35", no_device},
      {"no_device", "devices error=100", no_device},
      {"one_rank_without_device", "devices error=100 rank=1", one_rank_without_device},
      {"own_device_only", nullptr, own_device_only},
      {"split_keeps_the_device", nullptr, split_keeps_the_device},
      {"old_library", "version 21000", old_library},
      {"missing_symbol", "missing ncclReduceScatter", missing_symbol},
      {"in_progress", "progress ncclCommInitRankConfig polls=3", in_progress},
      {"in_progress_then_error", "progress ncclCommInitRankConfig polls=3 code=3",
       in_progress_then_error},
      {"in_progress_for_ever", "progress ncclCommInitRankConfig polls=forever",
       in_progress_for_ever},
      {"policies", nullptr, policies},
  };
}

}  // namespace tutti::test
