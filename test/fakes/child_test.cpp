// Communicators made from communicators, ranks on threads, and small floats on the wire.

#include <cstdint>
#include <thread>

#include "scenario.hpp"

namespace {

using scenario::host;

/** Runs `body(rank, id)` on one thread a rank, each with a device of its own. */
template <typename Body>
void on_threads(int ranks, Body&& body) {
  ncclUniqueId id{};
  ASSERT_EQ(ncclGetUniqueId(&id), ncclSuccess);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      cudaSetDevice(rank);
      body(rank, id);
    });
  }
  for (auto& thread : threads) thread.join();
}

ncclComm_t join(int ranks, const ncclUniqueId& id, int rank) {
  ncclComm_t comm = nullptr;
  EXPECT_EQ(ncclCommInitRank(&comm, ranks, id, rank), ncclSuccess) << ncclGetLastError(nullptr);
  return comm;
}

TEST(FakeChildTest, ranks_on_threads_reduce_small_floats_on_the_default_stream) {
  on_threads(4, [](int rank, const ncclUniqueId& id) {
    ncclComm_t comm = join(4, id, rank);
    auto* half = scenario::device<std::uint16_t>({0x3C00, 0x4000});
    auto* eight = scenario::device<std::uint8_t>({0x38});
    EXPECT_EQ(ncclAllReduce(half, half, 2, ncclFloat16, ncclSum, comm, nullptr), ncclSuccess);
    EXPECT_EQ(ncclAllReduce(eight, eight, 1, ncclFloat8e4m3, ncclSum, comm, nullptr), ncclSuccess);
    EXPECT_EQ(host(half, 2), (std::vector<std::uint16_t>{0x4400, 0x4800}));  // 4 and 8
    EXPECT_EQ(host(eight, 1)[0], 0x48);                                      // 4
    EXPECT_EQ(ncclCommDestroy(comm), ncclSuccess);
  });
}

TEST(FakeChildTest, a_scalar_on_the_device_is_read_when_the_work_runs) {
  on_threads(2, [](int rank, const ncclUniqueId& id) {
    ncclComm_t comm = join(2, id, rank);
    auto* value = scenario::device<double>({1.0 + rank});
    auto* scalar = scenario::device<double>({1.0});
    ncclRedOp_t op = ncclSum;
    EXPECT_EQ(ncclRedOpCreatePreMulSum(&op, scalar, ncclFloat64, ncclScalarDevice, comm),
              ncclSuccess);
    const double later = 4.0;
    cudaMemcpy(scalar, &later, sizeof later, cudaMemcpyHostToDevice);
    EXPECT_EQ(ncclAllReduce(value, value, 1, ncclFloat64, op, comm, nullptr), ncclSuccess);
    EXPECT_EQ(ncclAllReduce(value, value, 1, ncclFloat32, op, comm, nullptr), ncclInvalidArgument);
    EXPECT_EQ(host(value, 1)[0], 12.0);
    EXPECT_EQ(ncclRedOpDestroy(op, comm), ncclSuccess);
    EXPECT_EQ(ncclCommDestroy(comm), ncclSuccess);
  });
}

TEST(FakeChildTest, shrink_goes_on_without_a_rank) {
  on_threads(3, [](int rank, const ncclUniqueId& id) {
    ncclComm_t comm = join(3, id, rank), child = nullptr;
    int gone = 1;
    if (rank != gone) {
      EXPECT_EQ(ncclCommShrink(comm, &gone, 1, &child, nullptr, NCCL_SHRINK_ABORT), ncclSuccess);
      auto* value = scenario::device<int>({rank + 1});
      EXPECT_EQ(ncclAllReduce(value, value, 1, ncclInt32, ncclSum, child, nullptr), ncclSuccess);
      EXPECT_EQ(host(value, 1)[0], 4);
      EXPECT_EQ(ncclCommDestroy(child), ncclSuccess);
    }
    EXPECT_EQ(ncclCommAbort(comm), ncclSuccess);
  });
}

TEST(FakeChildTest, a_revoked_communicator_ends_its_work_and_takes_no_more) {
  on_threads(2, [](int rank, const ncclUniqueId& id) {
    ncclComm_t comm = join(2, id, rank);
    auto* value = scenario::device<int>({1});
    if (rank == 0) {
      EXPECT_EQ(ncclAllReduce(value, value, 1, ncclInt32, ncclSum, comm, nullptr), ncclSuccess);
      EXPECT_EQ(ncclCommRevoke(comm, NCCL_REVOKE_DEFAULT), ncclSuccess);
      EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
      EXPECT_EQ(ncclBcast(value, 1, ncclInt32, 0, comm, nullptr), ncclInvalidUsage);
    }
    EXPECT_EQ(ncclCommDestroy(comm), ncclSuccess);
  });
}

TEST(FakeChildTest, streams_of_one_group_wait_for_one_another) {
  on_threads(2, [](int rank, const ncclUniqueId& id) {
    ncclComm_t comm = join(2, id, rank);
    cudaStream_t first = nullptr, second = nullptr;
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    auto* a = scenario::device<int>({1});
    auto* b = scenario::device<int>({2});
    cudaMemsetAsync(b, 0, sizeof *b, second);
    ncclGroupStart();
    EXPECT_EQ(ncclAllReduce(a, a, 1, ncclInt32, ncclSum, comm, first), ncclSuccess);
    EXPECT_EQ(ncclAllReduce(b, b, 1, ncclInt32, ncclSum, comm, second), ncclSuccess);
    EXPECT_EQ(ncclGroupEnd(), ncclSuccess);
    EXPECT_EQ(cudaStreamSynchronize(second), cudaSuccess);
    EXPECT_EQ(host(a, 1)[0], 2);
    EXPECT_EQ(host(b, 1)[0], 0);
    EXPECT_EQ(ncclCommDestroy(comm), ncclSuccess);
  });
}

TEST(FakeChildTest, memory_freed_under_a_collective_is_noticed) {
  on_threads(1, [](int rank, const ncclUniqueId& id) {
    ncclComm_t comm = join(1, id, rank);
    cudaStream_t work = nullptr, other = nullptr;
    cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    auto* value = scenario::device<int>({1});
    cudaLaunchHostFunc(
        work, [](void*) { std::this_thread::sleep_for(std::chrono::milliseconds(50)); }, nullptr);
    EXPECT_EQ(ncclBcast(value, 1, ncclInt32, 0, comm, work), ncclSuccess);
    EXPECT_EQ(cudaFreeAsync(value, other), cudaSuccess);  // nothing orders it after the work
    ncclResult_t state = ncclSuccess;
    while (state == ncclSuccess) ncclCommGetAsyncError(comm, &state);
    EXPECT_EQ(state, ncclUnhandledCudaError);
    EXPECT_EQ(ncclCommAbort(comm), ncclSuccess);
  });
}

}  // namespace
