// Operations under way, and what is left of those that were given up.
#include "mpi/task.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "core/check.hpp"
#include "support/world.hpp"

namespace tutti::test {
namespace {

using namespace std::chrono_literals;
using Halves = std::vector<float16>;

std::shared_ptr<mpi::Session> new_session() {
  return std::make_shared<mpi::Session>(MPI_COMM_WORLD, Options{}, std::nullopt);
}

TEST(Task, IsStartedAsOftenAsWanted) {
  Halves in(100, float16(2.F)), out(100);
  const Operation operation = resolve(all_reduce(in, out, sum), rank(), size());
  mpi::OperationTask task(new_session(), operation);
  for (int turn = 1; turn <= 3; ++turn) {
    std::fill(in.begin(), in.end(), float16(static_cast<float>(turn)));
    task.start();
    EXPECT_TRUE(task.wait(Deadline::in(20s)));
    EXPECT_TRUE(task.test());
    EXPECT_EQ(float(out[99]), static_cast<float>(turn * size()));
  }
  task.run(Deadline());
  task.run(Deadline::in(20s));
  EXPECT_EQ(float(out[0]), static_cast<float>(3 * size()));
}

TEST(Task, AGroupIsUnderWayTogether) {
  const int next = (rank() + 1) % size(), before = (rank() + size() - 1) % size();
  const std::vector<int> mine{rank()};
  std::vector<int> theirs(1), total{rank() + 1};
  const Operation group[] = {resolve(send(mine, next), rank(), size()),
                             resolve(all_reduce(total, sum), rank(), size()),
                             resolve(recv(theirs, before), rank(), size())};
  mpi::OperationTask task(new_session(), OperationList(group, 3));
  task.start();
  EXPECT_TRUE(task.wait(Deadline::in(20s)));
  EXPECT_EQ(theirs[0], before);
  EXPECT_EQ(total[0], size() * (size() + 1) / 2);
}

// Rank 0 gives up before the others come, which then complete what it began: MPI writes the data of
// all ranks late, into memory that is still the operation's own.
TEST(Task, AfterItIsGivenUpMpiWritesIntoNobodysMemory) {
  if (size() == 1) GTEST_SKIP() << "takes a rank to wait for";
  const auto session = new_session();
  Halves in(100, float16(2.F)), out(100);
  const Operation operation = resolve(all_reduce(in, out, sum), rank(), size());
  if (rank() == 0) {
    mpi::OperationTask task(session, operation);
    task.start();
    EXPECT_FALSE(task.wait(Deadline::in(50ms)));
  }
  std::vector<std::vector<unsigned char>> others;
  for (std::size_t bytes = 64; bytes <= 2048; bytes += 8)
    for (int i = 0; i < 3; ++i) others.emplace_back(bytes, static_cast<unsigned char>(0xee));
  meet();
  if (rank() != 0) mpi::OperationTask(session, operation).run(Deadline::in(20s));
  meet();
  for (int i = 0; i < 10; ++i) static_cast<void>(same_on_all_ranks(1));  // MPI makes progress
  for (const auto& other : others)
    EXPECT_TRUE(std::all_of(other.begin(), other.end(), [](unsigned char b) { return b == 0xee; }))
        << other.size() << " bytes were written to";
}

TEST(Task, AnAbortEndsTheWait) {
  if (size() == 1) GTEST_SKIP() << "takes a rank to wait for";
  const auto session = new_session();
  std::vector<int> data(1);
  if (rank() == 0) {
    const Operation operation = resolve(recv(data, 1), rank(), size());
    mpi::OperationTask task(session, operation);
    task.start();
    EXPECT_FALSE(task.test());
    session->abort_flag()->aborted = true;
    EXPECT_EQ(failure_of([&] { task.wait(Deadline()); }).code, Errc::aborted);
  }
  meet();
  if (rank() == 1) {
    const Operation operation = resolve(send(data, 0), rank(), size());
    mpi::OperationTask(session, operation).run(Deadline());
  }
  meet();
}

}  // namespace
}  // namespace tutti::test
