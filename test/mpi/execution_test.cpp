// Steps are worked through in their order, by blocking calls and by requests alike.
#include "mpi/execution.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <thread>

#include "mpi/session.hpp"
#include "support/world.hpp"

namespace tutti::test {
namespace {

using mpi::Execution;
using mpi::Schedule;
using mpi::Step;
using mpi::StepKind;

class Executions : public testing::Test {
 protected:
  static Step message(StepKind kind, const int* in, int* out, int count, int peer) {
    Step step;
    step.kind = kind;
    step.in = in;
    step.out = out;
    step.count = count;
    step.peer = peer;
    step.tag = 7;
    step.wire = MPI_INT;
    return step;
  }
  static Step copy(const int* in, int* out, std::size_t count) {
    Step step;
    step.kind = StepKind::copy;
    step.in = in;
    step.out = out;
    step.length = count * sizeof(int);
    return step;
  }

  void finish(Execution& execution) {
    execution.start();
    while (!execution.advance()) std::this_thread::yield();
  }

  // Copies `first`, sends the copy round the ring, and adds a copy of what came.
  Schedule ring(std::vector<int>& m) {
    const int next = (rank() + 1) % size(), before = (rank() + size() - 1) % size();
    Schedule s;
    s.steps = {copy(&m[0], &m[1], 1), message(StepKind::receive, nullptr, &m[2], 1, before),
               message(StepKind::send, &m[1], nullptr, 1, next), copy(&m[2], &m[3], 1),
               copy(&m[3], &m[4], 1)};
    return s;
  }

  mpi::Session session_{MPI_COMM_WORLD, Options{}, std::nullopt};
};

TEST_F(Executions, LocalStepsBeginWhenWhatComesBeforeIsDone) {
  const int before = (rank() + size() - 1) % size();
  for (const bool blocking : {true, false}) {
    std::vector<int> m{10 + rank(), 0, 0, 0, 0};
    const Schedule schedule = ring(m);
    Execution execution(session_.comm(), schedule);
    blocking ? execution.run() : finish(execution);
    EXPECT_EQ(m,
              (std::vector<int>{10 + rank(), 10 + rank(), 10 + before, 10 + before, 10 + before}));
    EXPECT_FALSE(execution.under_way());
  }
}

TEST_F(Executions, CanBeDoneAgain) {
  std::vector<int> m(5);
  const Schedule schedule = ring(m);
  Execution execution(session_.comm(), schedule);
  for (int turn = 1; turn <= 4; ++turn) {
    m = {turn, 0, 0, 0, 0};
    turn % 2 != 0 ? execution.run() : finish(execution);
    EXPECT_EQ(m, std::vector<int>(5, turn));
  }
}

TEST_F(Executions, NoStepsAreDoneAtOnce) {
  const Schedule schedule;
  Execution execution(session_.comm(), schedule);
  execution.run();
  execution.start();
  EXPECT_TRUE(execution.advance());
}

TEST_F(Executions, FewerElementsThanExpectedAreAMismatch) {
  for (const bool blocking : {true, false}) {
    std::vector<int> in(2), out(3);
    Schedule schedule;
    schedule.steps = {message(StepKind::receive, nullptr, out.data(), 3, rank()),
                      message(StepKind::send, in.data(), nullptr, 2, rank())};
    Execution execution(session_.comm(), schedule);
    const Failure failure = failure_of([&] {
      blocking ? execution.run() : finish(execution);
      execution.throw_mismatch();
    });
    EXPECT_EQ(failure.code, Errc::mismatch);
    const std::string words =
        "rank " + std::to_string(rank()) + " sent 2 elements where 3 are to be received (tag 7)";
    EXPECT_NE(failure.text.find(words), std::string::npos) << failure.text;
  }
}

TEST_F(Executions, FoldsAndDivisionsComputeWhatTheStepSays) {
  std::vector<double> a{1, 2}, b{10, 20}, result(2);
  Schedule schedule;
  schedule.reduction = sum;
  schedule.arrays = {a.data(), b.data()};
  schedule.outs = {nullptr, result.data()};
  Step fold;
  fold.kind = StepKind::fold;
  fold.type = DataType::float64;
  fold.arrays = 2;
  fold.length = 2;
  Step divide;
  divide.kind = StepKind::divide;
  divide.type = DataType::float64;
  divide.out = result.data();
  divide.arrays = 4;
  divide.length = 2;
  schedule.steps = {fold, divide};
  Execution(session_.comm(), schedule).run();
  EXPECT_EQ(result, (std::vector<double>{2.75, 5.5}));
}

}  // namespace
}  // namespace tutti::test
