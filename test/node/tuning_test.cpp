// TUTTI_TUNE from the file to the operation: rank 0's file alone counts, for every rank.
#include <gtest/gtest.h>
#include <unistd.h>
#include <tutti/tutti.hpp>

#include <cstdlib>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include "support/world.hpp"

namespace tutti::test {
namespace {

/// A table of rank 0's; the other ranks' variable names a file that is not there.
class Table {
 public:
  explicit Table(const std::string& contents) : name_("/tmp/tutti-tuning-test.XXXXXX") {
    const int file = rank() == 0 ? mkstemp(name_.data()) : -1;
    if (file >= 0) close(file);
    if (rank() == 0) std::ofstream(name_) << contents;
    setenv("TUTTI_TUNE", name_.c_str(), 1);
  }
  ~Table() {
    unsetenv("TUTTI_TUNE");
    if (rank() == 0) unlink(name_.c_str());
  }
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

 private:
  std::string name_;
};

void expect_sums(const Communicator& comm, std::size_t count) {
  std::vector<int> data(count);
  std::iota(data.begin(), data.end(), comm.rank());
  comm.all_reduce(data, sum);
  const int n = comm.size();
  for (std::size_t i = 0; i < count; ++i)
    ASSERT_EQ(data[i], n * static_cast<int>(i) + n * (n - 1) / 2) << i;
}

std::string algorithm(const Communicator& comm, std::size_t count) {
  std::vector<int> data(count);
  const Choice choice = comm.choose(all_reduce(data, sum));
  return choice.backend + ": " + choice.algorithm + "; " + choice.reason;
}

bool holds(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

TEST(Tuning, SendsEverySizeItsWayOnAllRanks) {
  const Table table(
      "all_reduce bytes<=64 mpi\n"
      "all_reduce bytes<=4K sliced\n"
      "all_reduce bytes<=64K whole\n"
      "all_reduce mpi\n");
  const Communicator world(MPI_COMM_WORLD);
  for (int round = 0; round < 3; ++round)
    for (const std::size_t count : {1U, 16U, 17U, 1000U, 1024U, 1025U, 16384U, 16385U, 100000U})
      expect_sums(world, count);
  const std::string tiny = algorithm(world, 16), small = algorithm(world, 17),
                    medium = algorithm(world, 1025), large = algorithm(world, 16385);
  EXPECT_TRUE(holds(tiny, "mpi: ") && holds(tiny, "TUTTI_TUNE, line 1 of /tmp/")) << tiny;
  EXPECT_TRUE(holds(small, "node: shared memory, a slice a rank (TUTTI_TUNE, line 2")) << small;
  EXPECT_TRUE(holds(medium, "node: shared memory, whole arrays (TUTTI_TUNE, line 3")) << medium;
  EXPECT_TRUE(holds(large, "mpi: ") && holds(large, "line 4")) << large;
}

TEST(Tuning, ASplitKeepsItsParentsTable) {
  Communicator part;
  {
    const Table table("all_reduce sliced\n");
    const Communicator world(MPI_COMM_WORLD);
    unsetenv("TUTTI_TUNE");
    part = world.split(0);
  }
  expect_sums(part, 1000);
  EXPECT_TRUE(holds(algorithm(part, 1), "a slice a rank (TUTTI_TUNE, line 1"))
      << algorithm(part, 1);
  const Communicator other(MPI_COMM_WORLD);
  EXPECT_TRUE(holds(algorithm(other, 1), "whole arrays (by default)")) << algorithm(other, 1);
}

// What was measured inside a node says nothing of several, whose sizes differ besides.
TEST(Tuning, RulesForMpiAreOfOneNode) {
  if (size() < 3) GTEST_SKIP() << "needs nodes of two ranks and of one";
  const Table table("all_reduce mpi\n");
  setenv("TUTTI_NODE_SIZE", "2", 1);
  const Communicator nodes(MPI_COMM_WORLD);
  unsetenv("TUTTI_NODE_SIZE");
  expect_sums(nodes, 1000);
  EXPECT_TRUE(holds(algorithm(nodes, 1000), "node: ")) << algorithm(nodes, 1000);
  const Communicator one(MPI_COMM_WORLD);
  EXPECT_TRUE(holds(algorithm(one, 1000), "mpi: ")) << algorithm(one, 1000);
}

TEST(Tuning, AWrongFileIsEveryRanksError) {
  const Table table("# fine\nall_reduce quickly\n");
  const Failure failure = agreed_failure_of([] { const Communicator world(MPI_COMM_WORLD); });
  EXPECT_EQ(failure.code, Errc::invalid_argument);
  for (const char* const part : {"rank 0", "TUTTI_TUNE", "line 2", "quickly", "mpi, whole, sliced"})
    EXPECT_TRUE(holds(failure.text, part)) << part << " in " << failure.text;
}

TEST(Tuning, AFileThatCannotBeReadIsEveryRanksError) {
  for (const char* const name : {"/no/such/table", "/tmp", ""}) {
    setenv("TUTTI_TUNE", name, 1);
    const Failure failure = agreed_failure_of([] { const Communicator world(MPI_COMM_WORLD); });
    unsetenv("TUTTI_TUNE");
    EXPECT_EQ(failure.code, Errc::invalid_argument);
    EXPECT_TRUE(holds(failure.text, "cannot be read")) << failure.text;
    EXPECT_TRUE(holds(failure.text, name)) << failure.text;
  }
  const Table table(std::string((std::size_t{1} << 20) + 1, '#'));
  const Failure failure = agreed_failure_of([] { const Communicator world(MPI_COMM_WORLD); });
  EXPECT_TRUE(holds(failure.text, "longer than 1 MiB")) << failure.text;
}

TEST(Tuning, AnEmptyFileChangesNothing) {
  const Table table("");
  const Communicator world(MPI_COMM_WORLD);
  expect_sums(world, 10);
  EXPECT_TRUE(holds(algorithm(world, 10), "whole arrays (by default)")) << algorithm(world, 10);
}

}  // namespace
}  // namespace tutti::test
