#include <dirent.h>
#include <dlfcn.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "scenario.hpp"

namespace {

int left_segments() {
  int found = 0;
  DIR* directory = opendir("/dev/shm");
  while (const dirent* entry = directory == nullptr ? nullptr : readdir(directory)) {
    const std::string name = entry->d_name, mine = "tutti-fake-" + std::to_string(getpid()) + "-";
    found += name.rfind(mine, 0) == 0 ? 1 : 0;
  }
  if (directory != nullptr) closedir(directory);
  return found;
}

SCENARIO(reduce_between_processes) {
  ncclComm_t comm = scenario::join(job);
  double* value = scenario::device<double>({job.rank + 0.5});
  cudaStream_t stream = nullptr;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  for (int i = 0; i < 20; ++i) {
    REQUIRE(ncclAllReduce(value, value, 1, ncclFloat64, ncclAvg, comm, stream) == ncclSuccess);
  }
  REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
  REQUIRE(scenario::host(value, 1)[0] == job.size / 2.0);
  REQUIRE(ncclCommFinalize(comm) == ncclSuccess);
  REQUIRE(ncclCommDestroy(comm) == ncclSuccess);
}

TEST(FakeProcessTest, ranks_reduce_and_leave_nothing) {
  EXPECT_TRUE(scenario::run("reduce_between_processes", 4).all_good());
  EXPECT_EQ(left_segments(), 0);
}

SCENARIO(duplicate_device) {
  ncclComm_t comm = nullptr;
  cudaSetDevice(job.rank);
  REQUIRE(ncclCommInitRank(&comm, job.size, job.id, job.rank) == ncclInvalidUsage);
  const std::string text = ncclGetLastError(nullptr);
  REQUIRE(text.find("ranks 1 and 3") != std::string::npos);
}

TEST(FakeProcessTest, devices_with_one_uuid_are_refused) {
  EXPECT_TRUE(
      scenario::run("duplicate_device", 4, {"TUTTI_FAKE_FAULTS=device uuid=1:3"}).all_good());
}

SCENARIO(not_blocking) {
  ncclComm_t comm = nullptr, child = nullptr;
  cudaSetDevice(job.rank);
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  REQUIRE(ncclCommInitRankConfig(&comm, job.size, job.id, job.rank, &config) == ncclInProgress);
  REQUIRE(comm != nullptr);
  ncclResult_t state = ncclInProgress;
  int polls = 0;
  for (; state == ncclInProgress; ++polls) {
    REQUIRE(ncclCommGetAsyncError(comm, &state) == ncclSuccess);
    const bool early = polls == 0;
    REQUIRE(!early || ncclCommSplit(comm, 0, 0, &child, nullptr) == ncclInvalidArgument);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  REQUIRE(state == ncclSuccess);
  REQUIRE(polls >= 4);
  REQUIRE(ncclCommSplit(comm, 0, 0, &child, &config) == ncclInProgress);
  do {
    REQUIRE(ncclCommGetAsyncError(comm, &state) == ncclSuccess);
  } while (state == ncclInProgress);
  REQUIRE(state == ncclSuccess && child != nullptr);
  REQUIRE(ncclCommAbort(child) == ncclSuccess);
  REQUIRE(ncclCommAbort(comm) == ncclSuccess);
}

TEST(FakeProcessTest, a_communicator_that_does_not_block_is_polled) {
  EXPECT_TRUE(scenario::run("not_blocking", 2,
                            {"TUTTI_FAKE_FAULTS=progress ncclCommInitRankConfig polls=4"})
                  .all_good());
}

SCENARIO(one_rank_dies) {
  ncclComm_t comm = scenario::join(job);
  if (job.rank == 1) raise(SIGKILL);
  int* value = scenario::device<int>({1});
  ncclAllReduce(value, value, 1, ncclInt32, ncclSum, comm, nullptr);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  REQUIRE(cudaStreamQuery(nullptr) == cudaErrorNotReady);
  REQUIRE(ncclCommAbort(comm) == ncclSuccess);
  REQUIRE(cudaStreamSynchronize(nullptr) == cudaSuccess);
}

TEST(FakeProcessTest, a_killed_rank_leaves_nothing_behind) {
  EXPECT_EQ(scenario::run("one_rank_dies", 2).status, (std::vector<int>{0, 128 + SIGKILL}));
  EXPECT_EQ(left_segments(), 0);
}

SCENARIO(logged) {
  ncclCommDestroy(scenario::join(job));
}

TEST(FakeProcessTest, calls_are_logged_in_order) {
  const std::string path = ::testing::TempDir() + "/fakes_" + std::to_string(getpid()) + ".%r";
  ASSERT_TRUE(scenario::run("logged", 2, {"TUTTI_FAKE_LOG=" + path}).all_good());
  std::ifstream log(path.substr(0, path.size() - 2) + "1");
  std::string first, second, third;
  std::getline(log, first);
  std::getline(log, second);
  std::getline(log, third);
  EXPECT_EQ(first, "seq=1 thread=0 device=1 rank=1 call=cudaSetDevice to=1 result=0");
  EXPECT_NE(second.find("call=ncclCommInitRank size=2"), std::string::npos);
  EXPECT_NE(third.find("call=ncclCommDestroy comm=0x"), std::string::npos);
  EXPECT_EQ(third.substr(third.rfind(' ')), " result=0");
  for (const char* rank : {"0", "1"}) unlink((path.substr(0, path.size() - 2) + rank).c_str());
}

}  // namespace
