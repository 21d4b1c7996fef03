// A prepared collective: run through the node's memory, begun through MPI, and one at a time.
#include "mpi/node/task.hpp"

#include "support/communicators.hpp"

namespace tutti::test {
namespace {

using namespace std::chrono_literals;

class NodePlans : public OnWorld {
 protected:
  std::vector<int> data_ = std::vector<int>(100);

  Plan plan_of(const Communicator& comm) { return comm.plan(all_reduce(data_, sum)); }
  void expect_sum(const std::function<void()>& call) {
    std::fill(data_.begin(), data_.end(), rank() + 1);
    call();
    EXPECT_EQ(data_, std::vector<int>(100, size() * (size() + 1) / 2));
  }
};

TEST_F(NodePlans, AreRunAndBegunInTurns) {
  Plan plan = plan_of(world_);
  for (int turn = 0; turn < 5; ++turn) {
    expect_sum([&] { plan.run(); });
    expect_sum([&] { plan.start().wait(); });
    expect_sum([&] { world_.all_reduce(data_, sum); });
  }
}

// The other ranks may be ahead with a `run` of the same operation: it goes the same way.
TEST_F(NodePlans, MeetARunOfTheSameOperation) {
  Plan plan = plan_of(world_);
  for (int turn = 0; turn < 10; ++turn)
    expect_sum([&] {
      if (turn % size() == rank())
        plan.run();
      else
        world_.all_reduce(data_, sum);
    });
}

TEST_F(NodePlans, AreNotRunWhileTheyAreUnderWay) {
  Plan plan = plan_of(world_);
  expect_sum([&] {
    Work work = plan.start();
    const Failure failure = failure_of([&] { plan.run(); });
    EXPECT_EQ(failure.code, Errc::invalid_argument) << failure.text;
    EXPECT_TRUE(has(failure.text, "under way already"));
    work.wait();
  });
  expect_works(world_);
}

TEST_F(NodePlans, KeepTheirDeadline) {
  if (size() == 1) GTEST_SKIP() << "takes a rank to wait for";
  const Communicator comm = world_.duplicate();
  comm.barrier();
  Plan plan = comm.plan(all_reduce(data_, sum).within(50ms));
  if (rank() == 0) {
    const Failure failure = failure_of([&] { plan.run(); });
    EXPECT_EQ(failure.code, Errc::timeout) << failure.text;
  }
  meet();
}

TEST_F(NodePlans, OverSeveralNodesToo) {
  Options options;
  options.node_size = 2;
  const Communicator comm(MPI_COMM_WORLD, options);
  Plan plan = plan_of(comm);
  for (int turn = 0; turn < 3; ++turn) {
    expect_sum([&] { plan.run(); });
    expect_sum([&] { plan.start().wait(); });
  }
  // A deadline sends it another way, on all ranks alike.
  Plan limited = comm.plan(all_reduce(data_, sum).within(20s));
  expect_sum([&] { limited.run(); });
  std::vector<bfloat16> halves(10, bfloat16(1.F));
  Plan left_to_mpi = comm.plan(all_reduce(halves, sum));
  left_to_mpi.run();
  EXPECT_EQ(float(halves[9]), static_cast<float>(size()));
}

}  // namespace
}  // namespace tutti::test
