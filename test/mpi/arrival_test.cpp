// Ranks that wait for others to come know who has not, and agree on whether all go on.
#include "mpi/arrival.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <numeric>

#include "support/world.hpp"

namespace tutti::test {
namespace {

using namespace std::chrono_literals;

/// A duplicate, on which other traffic than the test's own would be noticed.
class Arrival : public testing::Test {
 protected:
  Arrival() {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  }
  ~Arrival() override { MPI_Comm_free(&comm_); }

  std::optional<mpi::Absence> await(std::chrono::milliseconds patience) const {
    return mpi::await_all_ranks(comm_, {Deadline::in(patience), flag_});
  }
  static bool is_late() { return rank() == size() - 1; }

  MPI_Comm comm_ = MPI_COMM_NULL;
  detail::AbortFlag flag_;
};

TEST_F(Arrival, OfAllRanksIsSeenByAll) {
  for (int turn = 0; turn < 100; ++turn) EXPECT_FALSE(await(60s).has_value());
}

TEST_F(Arrival, WhoHasNotComeIsKnownByName) {
  if (size() == 1) GTEST_SKIP() << "one rank misses nobody";
  if (!is_late()) {
    const mpi::Absence absence = await(200ms).value_or(mpi::Absence{});
    EXPECT_EQ(absence.silent, std::vector<int>{size() - 1});
    EXPECT_FALSE(absence.left.has_value());
    const std::string words = mpi::words_about_absent(comm_, absence);
    EXPECT_NE(words.find("\n  rank " + std::to_string(size() - 1) + ": not there"),
              std::string::npos)
        << words;
  }
  meet();
  if (is_late()) static_cast<void>(await(60s));
  meet();
}

TEST_F(Arrival, AloneARankMissesAllOthers) {
  if (size() == 1) GTEST_SKIP() << "one rank misses nobody";
  std::vector<int> others(static_cast<std::size_t>(size()) - 1);
  std::iota(others.begin(), others.end(), 0);
  if (is_late()) {
    EXPECT_EQ(await(100ms).value_or(mpi::Absence{}).silent, others);
  }
  meet();
  if (!is_late()) static_cast<void>(await(60s));
  meet();
}

// Without that it would enter, alone, what waits for all.
TEST_F(Arrival, WhoComesTooLateIsToldAtOnce) {
  if (size() == 1) GTEST_SKIP() << "nobody waits for one rank";
  if (!is_late()) {
    EXPECT_TRUE(await(100ms).has_value());
  }
  meet();
  if (is_late()) {
    const auto begin = std::chrono::steady_clock::now();
    const mpi::Absence absence = await(60s).value_or(mpi::Absence{});
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 20s);
    EXPECT_TRUE(absence.silent.empty());
    EXPECT_EQ(absence.left, 0);
  }
  meet();
}

TEST_F(Arrival, CanBeTriedAgainOnTheSameCommunicator) {
  for (int turn = 0; turn < 3; ++turn) {
    if (!is_late()) {
      EXPECT_TRUE(await(20ms).has_value());
    }
    meet();
    if (is_late()) {
      EXPECT_EQ(await(60s).has_value(), size() > 1);
    }
    meet();
    EXPECT_FALSE(await(60s).has_value());
  }
  int sum = 1;
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, comm_);
  EXPECT_EQ(sum, size());
}

TEST_F(Arrival, AnAbortEndsTheWait) {
  if (size() == 1) GTEST_SKIP() << "one rank does not wait";
  flag_.aborted = !is_late();
  if (!is_late()) {
    EXPECT_TRUE(mpi::await_all_ranks(comm_, {{}, flag_}).has_value());
  }
  meet();
  if (is_late()) {
    EXPECT_EQ(mpi::await_all_ranks(comm_, {{}, flag_}).value_or(mpi::Absence{}).left, 0);
  }
  meet();
}

}  // namespace
}  // namespace tutti::test
