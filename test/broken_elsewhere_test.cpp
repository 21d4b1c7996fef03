// A communicator that broke on one rank outside of the node's memory, and ranks that wait there.
#include <chrono>
#include <stdexcept>
#include <vector>

#include "support/communicators.hpp"

namespace tutti::test {
namespace {

using namespace std::chrono_literals;

// Nobody has a deadline but rank 1, for the message that does not come.
class BrokenElsewhere : public OnWorld {
 protected:
  void SetUp() override {
    if (size() == 1 || doomed_.choose(barrier()).backend != "node") GTEST_SKIP() << "not on a node";
  }
  /// Of the next collective, where rank 1 will not come.
  void expect_told() {
    const auto begin = std::chrono::steady_clock::now();
    const Failure failure = failure_of([&] { doomed_.barrier(); });
    EXPECT_EQ(failure.code, Errc::broken) << failure.text;
    EXPECT_TRUE(has(failure.text, "rank 1 gave up")) << failure.text;
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 20s);
    EXPECT_EQ(failure_of([&] { doomed_.barrier(); }).code, Errc::broken);
  }
  void wait_in_vain() {
    std::vector<int> data(3);
    const Failure failure = failure_of([&] { doomed_.run(recv(data, 0).within(10ms)); });
    EXPECT_EQ(failure.code, Errc::timeout) << failure.text;
  }

  Communicator doomed_ = world_.duplicate();
};

TEST_F(BrokenElsewhere, ByAMessageIsToldInTheNodesMemory) {
  doomed_.barrier();
  if (rank() == 1) return wait_in_vain();
  expect_told();
}

TEST_F(BrokenElsewhere, ByAUserFunctionIsToldInTheNodesMemory) {
  doomed_.barrier();
  const UserReduction<double> op([](double, double) -> double { throw std::range_error("own"); });
  std::vector<double> data(3, 1), out(3);
  Work work = doomed_.start(tutti::reduce(data, out, op, 1));
  if (rank() == 1) {
    EXPECT_THROW(work.wait(), std::range_error);
    return;
  }
  work.wait();
  expect_told();
}

TEST_F(BrokenElsewhere, IsToldWhoComesToTheFirstCollectiveWhileRankOneIsThere) {
  if (rank() == 1) wait_in_vain();
  if (rank() != 1) expect_told();
  meet();
}

TEST_F(BrokenElsewhere, IsToldWhoComesToTheFirstCollectiveWhenRankOneHasLeft) {
  if (rank() == 1) {
    wait_in_vain();
    doomed_ = Communicator();
  }
  meet();
  if (rank() != 1) expect_told();
}

}  // namespace
}  // namespace tutti::test
