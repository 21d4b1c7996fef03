// MPI functions counted and made to fail in front of the real ones: every duplicate is freed
// (cases 14, 27), return codes are looked at (case 73).
#include <atomic>
#include <cstring>

#include "support/communicators.hpp"

namespace {

std::atomic<int> made{0}, freed{0};
std::atomic<bool> failing{false}, corrupting{false};

// A count for each way to a new communicator, if one came out.
int count(int code, const MPI_Comm* result) {
  if (code == MPI_SUCCESS && *result != MPI_COMM_NULL) ++made;
  return code;
}
int injected(int code) {
  return failing ? MPI_ERR_OTHER : code;
}

}  // namespace

extern "C" {
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* result) {
  return count(PMPI_Comm_dup(comm, result), result);
}
int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* result) {
  return count(PMPI_Comm_dup_with_info(comm, info, result), result);
}
int MPI_Comm_idup(MPI_Comm comm, MPI_Comm* result, MPI_Request* request) {
  const int code = PMPI_Comm_idup(comm, result, request);
  if (code == MPI_SUCCESS) ++made;
  return code;
}
int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* result) {
  return count(PMPI_Comm_split(comm, color, key, result), result);
}
int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* result) {
  return count(PMPI_Comm_split_type(comm, type, key, info, result), result);
}
int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* result) {
  return count(PMPI_Comm_create(comm, group, result), result);
}
int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* result) {
  return count(PMPI_Comm_create_group(comm, group, tag, result), result);
}
int MPI_Comm_free(MPI_Comm* comm) {
  const int code = PMPI_Comm_free(comm);
  if (code == MPI_SUCCESS) ++freed;
  return code;
}
// However an all_reduce is done, one of these is among its calls.
int MPI_Allreduce(const void* in, void* out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  const int code = PMPI_Allreduce(in, out, n, type, op, comm);
  if (corrupting) *static_cast<unsigned char*>(out) ^= 1U;
  return injected(code);
}
int MPI_Iallreduce(const void* in, void* out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   MPI_Request* request) {
  return injected(PMPI_Iallreduce(in, out, n, type, op, comm, request));
}
}

namespace tutti::test {
namespace {

using Duplicates = OnWorld;

void use_and_drop(const Communicator& world) {
  Communicator first(MPI_COMM_WORLD);
  Communicator second(std::move(first));
  Communicator third = second.split(world.rank() % 2);
  Communicator fourth = world.duplicate();
  Communicator none = world.split(-1);
  fourth = std::move(third);
  Communicator& same = fourth;
  fourth = std::move(same);
  std::vector<int> data(2, 1);
  second.all_reduce(data, sum);
}

TEST_F(Duplicates, AreAllFreed) {
  const int before = made - freed;
  const int turns = size() > 2 ? 20 : 500;  // MPICH spins where ranks outnumber cores
  for (int turn = 0; turn < turns; ++turn) use_and_drop(world_);
  EXPECT_EQ(made - freed, before);
  EXPECT_GT(made, turns);
}

TEST_F(Duplicates, AreFreedWhenConstructionIsRefused) {
  const int before = made - freed;
  Options options;
  options.max_count = static_cast<std::size_t>(rank() + 1);
  for (int turn = 0; turn < 10; ++turn)
    EXPECT_EQ(failure_of([&] { Communicator refused(MPI_COMM_WORLD, options); }).thrown,
              size() > 1);
  EXPECT_EQ(made - freed, before);
}

// Case 142: with --gtest_repeat, what one repetition leaves behind the next one finds.
TEST_F(Duplicates, NoneIsLeftOverByARepetition) {
  static const int at_first = made - freed;
  EXPECT_EQ(made - freed, at_first);
  use_and_drop(world_);
  EXPECT_EQ(made - freed, at_first);
}

// Case 73: an MPI error code becomes an exception with MPI's own words, and the communicator says
// afterwards that it is broken; others live on.
TEST_F(Duplicates, AnMpiErrorCodeBecomesAnException) {
  Options options;
  options.host_path = HostPath::mpi;
  const Communicator victim(MPI_COMM_WORLD, options);
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(MPI_ERR_OTHER, text, &length);
  std::vector<float> data(3, 1);
  failing = rank() == size() - 1;
  const Failure failure = failure_of([&] { victim.all_reduce(data, sum); });
  failing = false;
  meet();
  EXPECT_EQ(failure.thrown, rank() == size() - 1);
  if (failure.thrown) {
    EXPECT_EQ(failure.code, Errc::mpi) << failure.text;
    EXPECT_TRUE(has(failure.text, text));
    EXPECT_TRUE(has(failure.text, "all_reduce"));
    EXPECT_TRUE(has(failure.text, "rank " + std::to_string(rank())));
    EXPECT_EQ(failure_of([&] { victim.barrier(); }).code, Errc::broken);
  }
  meet();
  expect_works(world_);
}

TEST_F(Duplicates, AResultThatIsNotTheSameOnAllRanksIsTold) {
  Options options;
  options.check = Check::results;
  options.host_path = HostPath::mpi;
  const Communicator checked(MPI_COMM_WORLD, options);
  std::vector<int> data(2, 1);
  checked.all_reduce(data, sum);
  const Failure failure = agreed_failure_of([&] {
    struct Corrupting {
      explicit Corrupting(bool yes) { corrupting = yes; }
      ~Corrupting() { corrupting = false; }
    } const corrupt(rank() == 1);
    checked.all_reduce(data, sum);
  });
  EXPECT_EQ(failure.code, Errc::mismatch) << failure.text;
  EXPECT_TRUE(has(failure.text, "call 2"));
  EXPECT_TRUE(has(failure.text, "rank 1: checksum"));
  EXPECT_TRUE(has(failure.text, size() == 2 ? "rank 0: checksum" : "ranks 0, 2"));
  expect_works(checked);
}

}  // namespace
}  // namespace tutti::test
