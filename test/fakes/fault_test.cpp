#include <dlfcn.h>

#include <chrono>
#include <cstring>
#include <thread>

#include "scenario.hpp"

namespace {

bool passes(const char* name, int size, const std::string& script) {
  return scenario::run(name, size, {"TUTTI_FAKE_FAULTS=" + script}).all_good();
}

SCENARIO(second_call_of_rank_one_fails) {
  ncclComm_t comm = scenario::join(job);
  int* value = scenario::device<int>({1});
  for (int call = 1; call <= 3; ++call) {
    const bool bad = job.rank == 1 && call == 2;
    const ncclResult_t result = ncclAllReduce(value, value, 1, ncclInt32, ncclSum, comm, nullptr);
    REQUIRE(result == (bad ? ncclInternalError : ncclSuccess));
    if (!bad) continue;
    REQUIRE(std::strcmp(ncclGetLastError(comm), "no space left") == 0);
  }
  ncclCommAbort(comm);
}

TEST(FakeFaultTest, fail) {
  EXPECT_TRUE(passes("second_call_of_rank_one_fails", 2,
                     "fail ncclAllReduce call=2 rank=1 code=3 text='no space left'"));
}

SCENARIO(init_gives_null) {
  ncclComm_t comm = nullptr;
  REQUIRE(ncclCommInitRank(&comm, 1, job.id, 0) == ncclSuccess);
  REQUIRE(comm == nullptr);
  REQUIRE(ncclCommDestroy(comm) == ncclInvalidArgument);
}

TEST(FakeFaultTest, null) {
  EXPECT_TRUE(passes("init_gives_null", 1, "null ncclCommInitRank"));
}

SCENARIO(poisoned) {
  ncclComm_t comm = scenario::join(job);
  ncclResult_t state = ncclSuccess;
  for (int poll = 1; poll <= 3; ++poll) {
    ncclCommGetAsyncError(comm, &state);
    REQUIRE(state == (job.rank == 0 && poll == 3 ? ncclRemoteError : ncclSuccess));
  }
  ncclCommAbort(comm);
}

TEST(FakeFaultTest, async) {
  EXPECT_TRUE(passes("poisoned", 2, "async rank=0 polls=3 code=6"));
}

SCENARIO(destroy_hangs_until_the_abort) {
  ncclComm_t comm = scenario::join(job);
  std::thread destroyer([comm] { REQUIRE(ncclCommDestroy(comm) == ncclInternalError); });
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  REQUIRE(ncclCommAbort(comm) == ncclSuccess);
  destroyer.join();
}

TEST(FakeFaultTest, hang) {
  EXPECT_TRUE(passes("destroy_hangs_until_the_abort", 1, "hang ncclCommDestroy"));
}

SCENARIO(stalls_and_corrupts) {
  ncclComm_t comm = scenario::join(job);
  int* value = scenario::device<int>({1});
  REQUIRE(ncclAllReduce(value, value, 1, ncclInt32, ncclSum, comm, nullptr) == ncclSuccess);
  REQUIRE(cudaStreamSynchronize(nullptr) == cudaSuccess);
  REQUIRE(scenario::host(value, 1)[0] == (1 ^ 0x10));
  REQUIRE(ncclAllReduce(value, value, 1, ncclInt32, ncclSum, comm, nullptr) == ncclSuccess);
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  REQUIRE(cudaStreamQuery(nullptr) == cudaErrorNotReady);
  REQUIRE(ncclCommAbort(comm) == ncclSuccess);
}

TEST(FakeFaultTest, stall_and_corrupt) {
  EXPECT_TRUE(
      passes("stalls_and_corrupts", 1, "stall ncclAllReduce call=2; corrupt ncclAllReduce call=1"));
}

SCENARIO(collective_in_progress) {
  ncclComm_t comm = nullptr;
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  ncclResult_t state = ncclCommInitRankConfig(&comm, 1, job.id, 0, &config);
  while (state == ncclInProgress) ncclCommGetAsyncError(comm, &state);
  int* value = scenario::device<int>({1});
  REQUIRE(ncclAllReduce(value, value, 1, ncclInt32, ncclSum, comm, nullptr) == ncclInProgress);
  REQUIRE(ncclAllReduce(value, value, 1, ncclInt32, ncclSum, comm, nullptr) == ncclInvalidArgument);
  int polls = 0;
  for (state = ncclInProgress; state == ncclInProgress; ++polls) {
    ncclCommGetAsyncError(comm, &state);
  }
  REQUIRE(polls == 4);
  REQUIRE(state == ncclSystemError);
  ncclCommAbort(comm);
}

TEST(FakeFaultTest, progress_then_error) {
  EXPECT_TRUE(passes("collective_in_progress", 1, "progress ncclAllReduce polls=3 code=2"));
}

SCENARIO(missing_functions) {
  void* library = dlopen(FAKE_NCCL_2_28, RTLD_NOW | RTLD_LOCAL);
  REQUIRE(library != nullptr);
  REQUIRE(dlsym(library, "ncclAlltoAll") == nullptr);
  REQUIRE(dlsym(library, "ncclCommWindowRegister") == nullptr);
  REQUIRE(dlsym(library, "ncclBcast") == nullptr);
  REQUIRE(dlsym(library, "ncclCommInitRankScalable") != nullptr);
  int version = 0;
  REQUIRE(ncclGetVersion(&version) == ncclSuccess && version == 22304);
}

TEST(FakeFaultTest, version_and_missing_hide_symbols) {
  EXPECT_TRUE(passes("missing_functions", 1, "version 22304; missing ncclBcast"));
}

SCENARIO(variant_2_18) {
  void* library = dlopen(FAKE_NCCL_2_18, RTLD_NOW | RTLD_LOCAL);
  REQUIRE(library != nullptr);
  REQUIRE(dlsym(library, "ncclMemAlloc") == nullptr);
  REQUIRE(dlsym(library, "ncclCommSplit") != nullptr);
}

TEST(FakeFaultTest, an_old_variant_lacks_what_came_later) {
  EXPECT_TRUE(passes("variant_2_18", 1, ""));
}

SCENARIO(devices_as_scripted) {
  int count = -1;
  REQUIRE(cudaGetDeviceCount(&count) == cudaSuccess && count == 2);
  REQUIRE(cudaSetDevice(2) == cudaErrorInvalidDevice);
  void* pointer = nullptr;
  REQUIRE(cudaMalloc(&pointer, 2000) == cudaErrorMemoryAllocation);
  REQUIRE(cudaMalloc(&pointer, 800) == cudaSuccess);
  std::size_t free = 0, total = 0;
  REQUIRE(cudaMemGetInfo(&free, &total) == cudaSuccess && free == 200);
  int value = 0;
  REQUIRE(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0) == cudaSuccess && value == 7);
  REQUIRE(cudaDeviceCanAccessPeer(&value, 0, 1) == cudaSuccess && value == 0);
}

TEST(FakeFaultTest, devices) {
  EXPECT_TRUE(passes("devices_as_scripted", 1,
                     "device count=2; memory free=1000; attribute id=10 value=7; peer access=0"));
}

SCENARIO(no_driver) {
  int count = -1;
  REQUIRE(cudaGetDeviceCount(&count) == cudaErrorInsufficientDriver);
  void* pointer = nullptr;
  REQUIRE(cudaMalloc(&pointer, 8) == cudaErrorInsufficientDriver);
}

TEST(FakeFaultTest, no_driver) {
  EXPECT_TRUE(passes("no_driver", 1, "devices error=35"));
}

SCENARIO(everything_fails) {
  int count = -1, version = 0;
  REQUIRE(cudaGetDeviceCount(&count) == cudaErrorUnknown);
  REQUIRE(ncclGetVersion(&version) == ncclInternalError);
}

TEST(FakeFaultTest, a_bad_script_fails_every_call) {
  EXPECT_TRUE(passes("everything_fails", 1, "fial ncclAllReduce"));
}

}  // namespace
