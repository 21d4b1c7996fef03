// Several devices of one process.
#include <thread>

#include "cuda/runtime.hpp"
#include "cuda/stream.hpp"
#include "device/story.hpp"

namespace tutti::test {
namespace {

Buffer<int> filled(int device, int value) {
  Buffer<int> buffer(4, Device(device));
  const int values[] = {value, value, value, value};
  buffer.write(values, 4);
  return buffer;
}

int first_of(const Buffer<int>& buffer) {
  int value = 0;
  buffer.read(&value, 1);
  return value;
}

void alone() {
  DeviceGroup group({0, 2, 3});
  require(group.size() == 3 && group.local_size() == 3 && group.device(1).ordinal() == 2,
          "wrong members");
  std::vector<Buffer<int>> data;
  for (int i = 0; i < 3; ++i) data.push_back(filled(group.device(i).ordinal(), i + 1));
  group.run({all_reduce(data[0]), all_reduce(data[1]), all_reduce(data[2])});
  for (const Buffer<int>& buffer : data) require(first_of(buffer) == 6, "the sum is wrong");
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back(
        [&, i] { group.run_one(i, broadcast(data[static_cast<std::size_t>(i)], 1)); });
  for (std::thread& thread : threads) thread.join();
  error_of([&] { group.run({all_reduce(data[0]), all_reduce(data[1])}); }, Errc::invalid_argument);
  error_of(
      [&] {
        group.run({all_reduce(data[1]), all_reduce(data[0]), all_reduce(data[2])});
      },
      Errc::invalid_argument);
  error_of([] { DeviceGroup({0, 0}); }, Errc::invalid_argument);
  error_of([] { DeviceGroup({0, 99}); }, Errc::invalid_argument);
  require(cuda::current_device() == 0, "the current device changed");
}

void of_several_processes() {
  const Communicator world(MPI_COMM_WORLD);
  const int first = 3 * world.rank();
  DeviceGroup group(world, {first, first + 1});
  require(group.size() == 2 * world.size() && group.rank(1) == 2 * world.rank() + 1, "wrong ranks");
  std::vector<Buffer<int>> data;
  std::vector<cuda::Stream> streams;
  for (int i = 0; i < 2; ++i) {
    const cuda::DeviceGuard guard(first + i);
    streams.emplace_back(cuda::Legacy::apart);
    data.push_back(filled(first + i, group.rank(i)));
  }
  group.enqueue({broadcast(data[0], 3), broadcast(data[1], 3)},
                {streams[0].handle(), streams[1].handle()});
  for (const cuda::Stream& stream : streams)
    while (!stream.idle()) {
    }
  require(first_of(data[0]) == 3 && first_of(data[1]) == 3, "the broadcast is wrong");
  error_of(
      [&] {
        const DeviceGroup bad(world,
                              world.rank() == 1 ? std::vector<int>{} : std::vector<int>{first});
      },
      Errc::invalid_argument);
}

// One of four ranks cannot join: both processes throw the same error, and may try again.
void one_member_fails() {
  const Communicator world(MPI_COMM_WORLD);
  const int first = 3 * world.rank();
  const std::string text = error_of(
      [&] {
        const DeviceGroup group(world, {first, first + 1});
      },
      Errc::nccl);
  require_in(text, "rank 1");
  require_in(text, "no route to the moon");
  require_same_everywhere(text.substr(0, text.find(" (rank ")));
  DeviceGroup group(world, {first, first + 1});
  Buffer<int> a = filled(first, 1), b = filled(first + 1, 2);
  group.run({all_reduce(a), all_reduce(b)});
  require(first_of(a) == 6 && first_of(b) == 6, "the sum is wrong");
}

void aborted_group() {
  const Communicator world(MPI_COMM_WORLD);
  DeviceGroup group(world, {world.rank()});
  Buffer<int> data = filled(world.rank(), 1);
  group.run({all_reduce(data)});
  AbortHandle handle = world.abort_handle();
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    handle.abort();
  });
  // The other rank does not come.
  if (world.rank() == 0) error_of([&] { group.run({all_reduce(data)}); }, Errc::aborted);
  other.join();
  meet();
}

void by_hand() {
  const nccl::UniqueId id = nccl::UniqueId::make();
  require(nccl::UniqueId(id.bytes()).bytes() == id.bytes(), "the bytes are others");
  error_of([&] { nccl::RawCommunicator(2, id, 2); }, Errc::invalid_argument);
  nccl::RawCommunicator one(1, id, 0);
  require(one.handle() != nullptr && nccl::version().major == 2, "no handle");
  {
    nccl::Group group;
    group.end();
  }
  one.abort();
  one.abort();
}

}  // namespace

std::vector<Told> group_stories() {
  return {
      {"group_alone", nullptr, alone},
      {"group_of_several_processes", nullptr, of_several_processes},
      {"group_member_fails",
       "fail ncclCommInitRankConfig rank=3 times=1 text='no route to the moon'", one_member_fails},
      {"group_aborted", nullptr, aborted_group},
      {"nccl_by_hand", nullptr, by_hand}};
}

}  // namespace tutti::test
