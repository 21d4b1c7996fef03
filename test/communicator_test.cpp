// The front end: every verb, works and plans.
#include "tutti/communicator.hpp"

#include <array>
#include <chrono>
#include <span>
#include <stdexcept>
#include <thread>

#include "support/communicators.hpp"

namespace tutti::test {
namespace {

using namespace std::chrono_literals;

class CommunicatorTest : public OnWorld {
 protected:
  int total() const { return size() * (size() + 1) / 2; }
  std::vector<int> mine(std::size_t count = 3) const { return std::vector<int>(count, rank() + 1); }
  std::vector<int> totals(std::size_t count = 3) const { return std::vector<int>(count, total()); }
};

TEST_F(CommunicatorTest, KnowsItsPlace) {
  EXPECT_EQ(world_.rank(), rank());
  EXPECT_EQ(world_.size(), size());
  EXPECT_TRUE(world_.valid());
  EXPECT_EQ(world_.node_size(), size()) << "these tests run on one node";
  EXPECT_EQ(world_.node_rank(), rank());
  int same = MPI_IDENT;
  MPI_Comm_compare(world_.mpi(), MPI_COMM_WORLD, &same);
  EXPECT_EQ(same, MPI_CONGRUENT) << "a duplicate: same ranks, apart";
}

TEST_F(CommunicatorTest, MembersByPlainNames) {
  std::vector<int> data = mine(), out(3);
  world_.all_reduce(data, sum);
  EXPECT_EQ(data, totals());
  const std::vector<int> fives(3, 5 - rank());
  world_.all_reduce(fives, out, max);
  EXPECT_EQ(out, std::vector<int>(3, 5));
  world_.broadcast(out, 0);
  std::vector<int> blocks(ranks(), -1);
  const std::vector<int> own{rank()};
  world_.all_gather(own, blocks);
  for (int r = 0; r < size(); ++r) EXPECT_EQ(blocks[static_cast<std::size_t>(r)], r);
  std::vector<int> turned(ranks());
  world_.all_to_all(blocks, turned);
  EXPECT_EQ(turned, std::vector<int>(ranks(), rank()));
  std::vector<int> one(1);
  world_.reduce_scatter(blocks, one, sum);
  EXPECT_EQ(one[0], rank() * size());
  world_.scan(own, one, sum);
  EXPECT_EQ(one[0], rank() * (rank() + 1) / 2);
  world_.barrier();
}

TEST_F(CommunicatorTest, TakesEveryKindOfRange) {
  int raw[3] = {rank() + 1, rank() + 1, rank() + 1};
  std::array<int, 3> array{rank() + 1, rank() + 1, rank() + 1};
  std::vector<int> vector = mine();
  const std::vector<int> constant = mine();
  world_.all_reduce(raw, sum);
  world_.all_reduce(array, sum);
  world_.all_reduce(std::span(vector), sum);
  EXPECT_EQ(std::vector<int>(raw, raw + 3), totals());
  EXPECT_EQ(std::vector<int>(array.begin(), array.end()), totals());
  EXPECT_EQ(vector, totals());
  world_.all_reduce(constant, std::span<int, 3>(array), sum);
  EXPECT_EQ(array[2], total());
}

TEST_F(CommunicatorTest, StartedWorksEndInAnyOrder) {
  std::vector<std::vector<int>> data;
  for (std::size_t i = 0; i < 4; ++i) data.push_back(mine(i * 500 + 1));
  std::vector<Work> works;
  for (auto& d : data) works.push_back(world_.start(all_reduce(d, sum)));
  for (std::size_t i = 0; i < 4; ++i) {
    const std::size_t which = rank() % 2 == 0 ? i : 3 - i;
    if (which == 1) {
      while (!works[which].test()) std::this_thread::yield();
    } else if (which == 2) {
      EXPECT_TRUE(works[which].wait_for(60s));
    } else {
      works[which].wait();
    }
    EXPECT_EQ(data[which], totals(which * 500 + 1));
    works[which].wait();  // once more does nothing
    EXPECT_TRUE(works[which].test());
  }
}

TEST_F(CommunicatorTest, ADestroyedWorkHasWaited) {
  std::vector<int> data = mine(10000);
  { const Work work = world_.start(all_reduce(data, sum)); }
  EXPECT_EQ(data, totals(10000));
  Work work;
  EXPECT_TRUE(work.test());
  work.wait();
  std::vector<int> first = mine(), second = mine();
  work = world_.start(all_reduce(first, sum));
  work = world_.start(all_reduce(second, sum));  // waits for the first
  EXPECT_EQ(first, totals());
  Work moved(std::move(work));
  moved.wait();
  EXPECT_EQ(second, totals());
}

TEST_F(CommunicatorTest, TimeRunningOutInWaitForIsNoFailure) {
  if (size() < 2) return;
  std::vector<int> data = mine();
  if (rank() == 0) {
    Work work = world_.start(all_reduce(data, sum));
    EXPECT_FALSE(work.wait_for(30ms));
    EXPECT_FALSE(work.test());
    meet();
    work.wait();
  } else {
    meet();
    world_.start(all_reduce(data, sum)).wait();
  }
  EXPECT_EQ(data, totals());
  expect_works(world_);
}

TEST_F(CommunicatorTest, AWorkKeepsItsCommunicatorAlive) {
  std::vector<int> data = mine();
  Work work;
  {
    const Communicator other = world_.duplicate();
    work = other.start(all_reduce(data, sum));
  }
  work.wait();
  EXPECT_EQ(data, totals());
}

TEST_F(CommunicatorTest, APlanSeesTheMemoryAsItIsAtEachRun) {
  std::vector<int> in(40), out(40);
  Plan plan = world_.plan(all_reduce(in, out, sum));
  for (int turn = 1; turn < 5; ++turn) {
    for (int& value : in) value = turn * (rank() + 1);
    if (turn % 2 == 1) {
      plan.run();
    } else {
      plan.start().wait();
    }
    EXPECT_EQ(out, std::vector<int>(40, turn * total()));
  }
}

TEST_F(CommunicatorTest, APlanKeepsCopiesOfCounts) {
  std::vector<int> in(1, rank()), out(ranks());
  Plan plan;
  {
    const std::vector<std::size_t> counts(ranks(), 1);
    std::vector<std::size_t> offsets(ranks());
    std::iota(offsets.rbegin(), offsets.rend(), 0U);
    plan = world_.plan({all_gather(in, out, Blocks(counts, offsets)), barrier()});
  }
  plan.run();
  for (int r = 0; r < size(); ++r) EXPECT_EQ(out[static_cast<std::size_t>(size() - 1 - r)], r);
}

TEST_F(CommunicatorTest, APlanUnderWayIsNotBegunAgain) {
  std::vector<int> in = mine(), out(3);
  Plan plan = world_.plan(all_reduce(in, out, sum));
  Work work = plan.start();
  for (const Failure& failure :
       {failure_of([&] { (void)plan.start(); }), failure_of([&] { plan.run(); })}) {
    EXPECT_EQ(failure.code, Errc::invalid_argument) << failure.text;
    EXPECT_TRUE(has(failure.text, "under way"));
  }
  work.wait();
  EXPECT_EQ(out, totals());
  plan.run();
}

TEST_F(CommunicatorTest, AWorkMayOutliveItsPlan) {
  std::vector<int> in = mine(), out(3);
  Work work;
  {
    Plan plan = world_.plan(all_reduce(in, out, sum));
    work = plan.start();
  }
  work.wait();
  EXPECT_EQ(out, totals());
}

TEST_F(CommunicatorTest, TimesBeyondTheClockNeverPass) {
  std::vector<int> data = mine();
  Work work = world_.start(all_reduce(data, sum));
  EXPECT_TRUE(work.wait_for(std::chrono::nanoseconds::max()));
  EXPECT_EQ(data, totals());
  Options options;
  options.timeout = std::chrono::milliseconds::max();
  expect_works(Communicator(MPI_COMM_WORLD, options));
}

TEST_F(CommunicatorTest, WhatAUserFunctionThrowsBreaksTheCommunicator) {
  if (size() == 1) GTEST_SKIP() << "one rank reduces nothing";
  const Communicator doomed = world_.duplicate();
  const UserReduction<double> op([](double, double) -> double { throw std::range_error("own"); });
  std::vector<double> data(3, 1);
  int thrown = 0;
  try {
    doomed.run(all_reduce(data, op).within(2s));
  } catch (const std::range_error&) {
    thrown = 1;
    const Failure later = failure_of([&] { doomed.barrier(); });
    EXPECT_EQ(later.code, Errc::broken) << later.text;
    EXPECT_TRUE(has(later.text, "an exception that is not tutti's went through it: own"));
  } catch (const Error& error) {
    EXPECT_TRUE(error.code() == Errc::timeout || error.code() == Errc::broken)
        << "of a rank that waits for one that has thrown: " << error.what();
  }
  MPI_Allreduce(MPI_IN_PLACE, &thrown, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  EXPECT_EQ(thrown, 1);
}

TEST_F(CommunicatorTest, OnANodeOthersAreToldOfWhatAUserFunctionThrew) {
  const Communicator doomed = world_.duplicate();
  if (size() == 1 || doomed.choose(barrier()).backend != "node") GTEST_SKIP() << "not on a node";
  const UserReduction<double> op([this](double left, double right) {
    if (rank() == 0) throw std::range_error("own");
    return left + right;
  });
  std::vector<double> data(3, 1), out(3);
  if (rank() == 0) {
    EXPECT_THROW(doomed.reduce(data, out, op, 0), std::range_error);
    return;
  }
  doomed.reduce(data, out, op, 0);
  const Failure failure = failure_of([&] { doomed.run(barrier().within(30s)); });
  EXPECT_EQ(failure.code, Errc::broken) << failure.text;
  EXPECT_NE(failure.text.find("gave up"), std::string::npos) << failure.text;
}

TEST_F(CommunicatorTest, AWorkIsOverWhenAUserFunctionThrows) {
  if (size() == 1) GTEST_SKIP() << "one rank reduces nothing";
  const UserReduction<double> op([](double, double) -> double { throw 1; });
  std::vector<double> data(3, 1);
  const Communicator doomed = world_.duplicate();
  Work work = doomed.start(all_reduce(data, op));
  EXPECT_THROW(work.wait(), int);
  EXPECT_TRUE(work.test()) << "nothing is left to wait for";
  const Communicator second = world_.duplicate();
  const Work destroyed = second.start(all_reduce(data, op));  // whose end throws nothing
}

TEST_F(CommunicatorTest, AShorterMessageIsToldOnceAndLeavesTheRestWhole) {
  if (size() < 2) return;
  std::vector<int> two(2, 7), four(4), three(3);
  if (rank() == 0) {
    const Failure alone = failure_of([&] { world_.recv(four, 1); });
    EXPECT_EQ(alone.code, Errc::mismatch) << alone.text;
    world_.recv(two, 1);
    const Failure group = failure_of([&] { world_.run({recv(four, 1, 1), recv(three, 1, 2)}); });
    EXPECT_EQ(group.code, Errc::mismatch) << group.text;
    EXPECT_EQ(three, std::vector<int>(3, 9)) << "the rest of the group has not come";
  } else if (rank() == 1) {
    for (int i = 0; i < 2; ++i) world_.send(two, 0);
    world_.send(two, 0, 1);
    std::this_thread::sleep_for(30ms);
    std::fill(three.begin(), three.end(), 9);
    world_.send(three, 0, 2);
  }
  expect_works(world_);
}

TEST_F(CommunicatorTest, GroupsTakeSeveralOperations) {
  std::vector<int> data = mine(), other(ranks() * 3);
  const std::vector<int> in = mine();
  world_.run({all_reduce(data, sum), all_gather(in, other)});
  EXPECT_EQ(data, totals());
  EXPECT_EQ(other.back(), size());
  world_.start({all_reduce(data, min), barrier()}).wait();
  EXPECT_EQ(data, totals());
}

TEST_F(CommunicatorTest, DuplicatesDoNotMeet) {
  if (size() < 2) return;
  const Communicator other = world_.duplicate();
  std::vector<int> first = mine(), second(3, 1);
  // Rank 0 begins them in the other order than the rest.
  Work a =
      rank() == 0 ? world_.start(all_reduce(first, sum)) : other.start(all_reduce(second, sum));
  Work b =
      rank() == 0 ? other.start(all_reduce(second, sum)) : world_.start(all_reduce(first, sum));
  while (!(a.test() && b.test())) std::this_thread::yield();
  EXPECT_EQ(first, totals());
  EXPECT_EQ(second, std::vector<int>(3, size()));
}

TEST_F(CommunicatorTest, ExplainsItself) {
  std::vector<float> data(100);
  const std::string text = world_.explain(all_reduce(data, sum));
  EXPECT_TRUE(has(text, "all_reduce"));
  EXPECT_FALSE(text.empty());
}

TEST_F(CommunicatorTest, OptionsAreKept) {
  Options options;
  options.deterministic = true;
  options.max_count = 7;
  const Communicator other(MPI_COMM_WORLD, options);
  EXPECT_TRUE(other.options().deterministic);
  EXPECT_EQ(other.options().max_count, 7U);
  const Communicator child = other.split(0);
  EXPECT_EQ(child.options().max_count, 7U);
  expect_works(child);
}

}  // namespace
}  // namespace tutti::test
