#include <cstring>
#include <functional>
#include <numeric>
#include <thread>

#include "scenario.hpp"

namespace {

using scenario::host;

constexpr int ranks = 3;

/** Three ranks on three devices of this process, driven by one thread in groups. */
class FakeCollectiveTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(ncclCommInitAll(comms_, ranks, nullptr), ncclSuccess) << ncclGetLastError(nullptr);
    for (int i = 0; i < ranks; ++i) {
      cudaSetDevice(i);
      cudaStreamCreateWithFlags(&streams_[i], cudaStreamNonBlocking);
    }
  }

  void TearDown() override {
    for (int i = 0; i < ranks; ++i) {
      cudaSetDevice(i);
      EXPECT_EQ(ncclCommDestroy(comms_[i]), ncclSuccess);
      cudaStreamDestroy(streams_[i]);
    }
    cudaSetDevice(0);
  }

  /** Device memory of rank i: `count` ints, 100 i + index. */
  int* data(int i, std::size_t count) {
    cudaSetDevice(i);
    std::vector<int> values(count);
    std::iota(values.begin(), values.end(), 100 * i);
    return scenario::device(values);
  }

  /** Calls `call(i)` for each rank in one group, then waits for all streams. */
  void group(const std::function<ncclResult_t(int)>& call) {
    ASSERT_EQ(ncclGroupStart(), ncclSuccess);
    for (int i = 0; i < ranks; ++i) EXPECT_EQ(call(i), ncclSuccess);
    ASSERT_EQ(ncclGroupEnd(), ncclSuccess) << ncclGetLastError(comms_[0]);
    for (int i = 0; i < ranks; ++i) ASSERT_EQ(cudaStreamSynchronize(streams_[i]), cudaSuccess);
  }

  std::vector<int> read(const int* pointer, std::size_t count) { return host(pointer, count); }

  ncclComm_t comms_[ranks] = {};
  cudaStream_t streams_[ranks] = {};
};

TEST_F(FakeCollectiveTest, all_reduce_of_any_length_and_in_place) {
  for (const std::size_t count : {1UL, 2UL, 5UL, 40000UL}) {
    int *in[ranks], *out[ranks];
    for (int i = 0; i < ranks; ++i) in[i] = data(i, count), out[i] = data(i, count);
    group([&](int i) {
      return ncclAllReduce(in[i], out[i], count, ncclInt32, ncclSum, comms_[i], streams_[i]);
    });
    group([&](int i) {
      return ncclAllReduce(in[i], in[i], count, ncclInt32, ncclMax, comms_[i], streams_[i]);
    });
    for (int i = 0; i < ranks; ++i) {
      const auto sum = read(out[i], count), most = read(in[i], count);
      for (std::size_t k = 0; k < count; ++k) {
        ASSERT_EQ(sum[k], 300 + 3 * static_cast<int>(k));
        ASSERT_EQ(most[k], 200 + static_cast<int>(k));
      }
    }
  }
}

TEST_F(FakeCollectiveTest, reduce_broadcast_and_bcast) {
  int *in[ranks], *out[ranks];
  for (int i = 0; i < ranks; ++i) in[i] = data(i, 4), out[i] = data(i, 4);
  group([&](int i) {
    return ncclReduce(in[i], out[i], 4, ncclInt32, ncclSum, 1, comms_[i], streams_[i]);
  });
  EXPECT_EQ(read(out[1], 4), (std::vector<int>{300, 303, 306, 309}));
  EXPECT_EQ(read(out[0], 4), (std::vector<int>{0, 1, 2, 3}));
  group([&](int i) {
    return ncclBroadcast(i == 2 ? in[i] : nullptr, out[i], 4, ncclInt32, 2, comms_[i], streams_[i]);
  });
  EXPECT_EQ(read(out[0], 4), (std::vector<int>{200, 201, 202, 203}));
  group([&](int i) { return ncclBcast(in[i], 4, ncclInt32, 1, comms_[i], streams_[i]); });
  EXPECT_EQ(read(in[2], 4), (std::vector<int>{100, 101, 102, 103}));
}

TEST_F(FakeCollectiveTest, gathers_and_scatters_in_place) {
  int* all[ranks];
  for (int i = 0; i < ranks; ++i) all[i] = data(i, 6);
  group([&](int i) {
    return ncclAllGather(all[i] + 2 * i, all[i], 2, ncclInt32, comms_[i], streams_[i]);
  });
  for (int i = 0; i < ranks; ++i) {
    EXPECT_EQ(read(all[i], 6), (std::vector<int>{0, 1, 102, 103, 204, 205}));
  }
  group([&](int i) {
    return ncclReduceScatter(all[i], all[i] + 2 * i, 2, ncclInt32, ncclSum, comms_[i], streams_[i]);
  });
  EXPECT_EQ(read(all[1], 6), (std::vector<int>{0, 1, 306, 309, 204, 205}));
}

TEST_F(FakeCollectiveTest, native_gather_scatter_and_all_to_all) {
  int *in[ranks], *out[ranks];
  for (int i = 0; i < ranks; ++i) in[i] = data(i, 6), out[i] = data(i, 6);
  group([&](int i) { return ncclAlltoAll(in[i], out[i], 2, ncclInt32, comms_[i], streams_[i]); });
  EXPECT_EQ(read(out[1], 6), (std::vector<int>{2, 3, 102, 103, 202, 203}));
  group([&](int i) { return ncclGather(in[i], out[i], 2, ncclInt32, 0, comms_[i], streams_[i]); });
  EXPECT_EQ(read(out[0], 6), (std::vector<int>{0, 1, 100, 101, 200, 201}));
  group([&](int i) { return ncclScatter(in[i], out[i], 2, ncclInt32, 2, comms_[i], streams_[i]); });
  EXPECT_EQ(read(out[1], 2), (std::vector<int>{202, 203}));
}

TEST_F(FakeCollectiveTest, a_ring_of_sends_beside_a_collective_in_one_group) {
  const std::size_t count = 50000;  // more than a pipe holds
  int *in[ranks], *out[ranks], *sum[ranks];
  for (int i = 0; i < ranks; ++i)
    in[i] = data(i, count), out[i] = data(i, count), sum[i] = data(i, 1);
  group([&](int i) {
    const int next = (i + 1) % ranks, before = (i + 2) % ranks;
    EXPECT_EQ(ncclSend(in[i], count, ncclInt32, next, comms_[i], streams_[i]), ncclSuccess);
    EXPECT_EQ(ncclAllReduce(sum[i], sum[i], 1, ncclInt32, ncclSum, comms_[i], streams_[i]),
              ncclSuccess);
    return ncclRecv(out[i], count, ncclInt32, before, comms_[i], streams_[i]);
  });
  EXPECT_EQ(read(out[0], count).back(), 200 + static_cast<int>(count) - 1);
  EXPECT_EQ(read(sum[2], 1)[0], 300);
}

TEST_F(FakeCollectiveTest, averages_and_pre_multiplied_sums) {
  float* values[ranks];
  ncclRedOp_t ops[ranks];
  for (int i = 0; i < ranks; ++i) {
    cudaSetDevice(i);
    values[i] = scenario::device<float>({static_cast<float>(i + 1)});
    float half = 0.5F;
    ASSERT_EQ(
        ncclRedOpCreatePreMulSum(&ops[i], &half, ncclFloat32, ncclScalarHostImmediate, comms_[i]),
        ncclSuccess);
  }
  group([&](int i) {
    return ncclAllReduce(values[i], values[i], 1, ncclFloat32, ops[i], comms_[i], streams_[i]);
  });
  EXPECT_EQ(host(values[0], 1)[0], 3.0F);
  for (int i = 0; i < ranks; ++i) {
    EXPECT_EQ(ncclRedOpDestroy(ops[i], comms_[i]), ncclSuccess);
    EXPECT_EQ(ncclRedOpDestroy(ops[i], comms_[i]), ncclInvalidArgument);
  }
}

TEST_F(FakeCollectiveTest, a_captured_collective_is_replayed) {
  int* values[ranks];
  cudaGraphExec_t graphs[ranks];
  for (int i = 0; i < ranks; ++i) {
    values[i] = data(i, 1);
    cudaGraph_t graph = nullptr;
    ASSERT_EQ(cudaStreamBeginCapture(streams_[i], cudaStreamCaptureModeThreadLocal), cudaSuccess);
    ASSERT_EQ(ncclAllReduce(values[i], values[i], 1, ncclInt32, ncclSum, comms_[i], streams_[i]),
              ncclSuccess);
    ASSERT_EQ(cudaStreamEndCapture(streams_[i], &graph), cudaSuccess);
    ASSERT_EQ(cudaGraphInstantiate(&graphs[i], graph, 0), cudaSuccess);
  }
  for (int launch = 0; launch < 2; ++launch) {
    for (int i = 0; i < ranks; ++i) cudaGraphLaunch(graphs[i], streams_[i]);
    for (int i = 0; i < ranks; ++i) cudaStreamSynchronize(streams_[i]);
  }
  EXPECT_EQ(read(values[1], 1)[0], 900);
}

TEST_F(FakeCollectiveTest, a_missing_rank_hangs_the_others_until_they_abort) {
  int* value = data(0, 1);
  cudaSetDevice(0);
  ASSERT_EQ(ncclAllReduce(value, value, 1, ncclInt32, ncclSum, comms_[0], streams_[0]),
            ncclSuccess);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(cudaStreamQuery(streams_[0]), cudaErrorNotReady);
  ASSERT_EQ(ncclCommAbort(comms_[0]), ncclSuccess);
  EXPECT_EQ(cudaStreamSynchronize(streams_[0]), cudaSuccess);
  EXPECT_EQ(ncclCommAbort(comms_[0]), ncclInvalidArgument);
  ncclUniqueId id{};
  ncclGetUniqueId(&id);
  ASSERT_EQ(ncclCommInitRank(&comms_[0], 1, id, 0), ncclSuccess);  // for TearDown
  EXPECT_EQ(ncclCommInitRank(&comms_[0], 1, id, 0), ncclInvalidUsage);
  ncclGetUniqueId(&id);
  ASSERT_EQ(ncclCommInitRank(&comms_[0], 1, id, 0), ncclSuccess);
}

TEST_F(FakeCollectiveTest, a_mismatch_is_an_asynchronous_error_on_every_rank) {
  int* values[ranks];
  for (int i = 0; i < ranks; ++i) values[i] = data(i, 4);
  ncclGroupStart();  // so that the last call is made before the first has failed
  for (int i = 0; i < ranks; ++i) {
    const std::size_t count = i == 1 ? 3 : 4;
    ASSERT_EQ(
        ncclAllReduce(values[i], values[i], count, ncclInt32, ncclSum, comms_[i], streams_[i]),
        ncclSuccess);
  }
  ASSERT_EQ(ncclGroupEnd(), ncclSuccess);
  for (int i = 0; i < ranks; ++i) {
    ncclResult_t state = ncclSuccess;
    while (state == ncclSuccess) ncclCommGetAsyncError(comms_[i], &state);
    EXPECT_EQ(state, ncclInvalidUsage);
    EXPECT_NE(std::strstr(ncclGetLastError(comms_[i]), "count=3"), nullptr);
    EXPECT_EQ(cudaStreamQuery(streams_[i]), cudaErrorNotReady);
  }
  for (int i = 0; i < ranks; ++i) {
    EXPECT_EQ(ncclCommAbort(comms_[i]), ncclSuccess);
    EXPECT_EQ(cudaStreamSynchronize(streams_[i]), cudaSuccess);
  }
  SetUp();
}

TEST_F(FakeCollectiveTest, wrong_arguments_are_refused) {
  int* value = data(0, 1);
  int local = 0;
  cudaSetDevice(0);
  const auto reduce = [&](void* to, ncclDataType_t type, ncclRedOp_t op) {
    return ncclAllReduce(value, to, 1, type, op, comms_[0], streams_[0]);
  };
  EXPECT_EQ(reduce(&local, ncclInt32, ncclSum), ncclInvalidArgument);
  EXPECT_EQ(reduce(nullptr, ncclInt32, ncclSum), ncclInvalidArgument);
  EXPECT_EQ(reduce(value, ncclNumTypes, ncclSum), ncclInvalidArgument);
  EXPECT_EQ(reduce(value, ncclInt32, static_cast<ncclRedOp_t>(77)), ncclInvalidArgument);
  EXPECT_EQ(ncclBcast(value, 1, ncclInt32, ranks, comms_[0], streams_[0]), ncclInvalidArgument);
  EXPECT_EQ(ncclAllReduce(nullptr, nullptr, 0, ncclInt32, ncclSum, comms_[0], streams_[0]),
            ncclSuccess);
  EXPECT_EQ(ncclAllReduce(value, value, 1, ncclInt32, ncclSum, comms_[0], streams_[1]),
            ncclUnhandledCudaError);
  EXPECT_NE(std::strstr(ncclGetLastError(comms_[0]), "another device"), nullptr);
  EXPECT_EQ(ncclGroupEnd(), ncclInvalidUsage);
  int duplicate[] = {0, 0};
  ncclComm_t pair[2] = {};
  EXPECT_EQ(ncclCommInitAll(pair, 2, duplicate), ncclInvalidUsage);
}

TEST_F(FakeCollectiveTest, split_by_colour_and_key) {
  ncclComm_t children[ranks] = {};
  group([&](int i) {
    return ncclCommSplit(comms_[i], i == 1 ? NCCL_SPLIT_NOCOLOR : 4, -i, &children[i], nullptr);
  });
  EXPECT_EQ(children[1], nullptr);
  int rank = -1, size = 0;
  ASSERT_EQ(ncclCommUserRank(children[2], &rank), ncclSuccess);
  ncclCommCount(children[2], &size);
  EXPECT_EQ(rank, 0);  // the lower key
  EXPECT_EQ(size, 2);
  for (const int i : {0, 2}) EXPECT_EQ(ncclCommDestroy(children[i]), ncclSuccess);
}

TEST_F(FakeCollectiveTest, registrations_are_ended_once_and_by_their_own_call) {
  void *memory = nullptr, *handle = nullptr;
  cudaSetDevice(0);
  ASSERT_EQ(ncclMemAlloc(&memory, 4096), ncclSuccess);
  ASSERT_EQ(ncclCommRegister(comms_[0], memory, 4096, &handle), ncclSuccess);
  ncclWindow_t window = nullptr;
  ASSERT_EQ(ncclCommWindowRegister(comms_[0], memory, 4096, &window, NCCL_WIN_COLL_SYMMETRIC),
            ncclSuccess);
  EXPECT_EQ(ncclCommDeregister(comms_[0], window), ncclInvalidArgument);
  EXPECT_EQ(ncclCommDeregister(comms_[0], handle), ncclSuccess);
  EXPECT_EQ(ncclCommDeregister(comms_[0], handle), ncclInvalidArgument);
  EXPECT_EQ(ncclCommWindowDeregister(comms_[0], window), ncclSuccess);
  EXPECT_EQ(ncclMemFree(memory), ncclSuccess);
}

}  // namespace
