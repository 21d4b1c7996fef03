#include "bench/agreement.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace tutti::bench {
namespace {

int rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

TEST(Agreement, NoFailure) {
  Agreement agreement(MPI_COMM_WORLD);
  EXPECT_EQ(agreement.agree(""), "");
}

TEST(Agreement, LowestFailedRankSpeaks) {
  Agreement agreement(MPI_COMM_WORLD);
  const auto fail = [] {
    if (rank() > 0) throw std::runtime_error("rank " + std::to_string(rank()) + " failed");
  };
  EXPECT_EQ(agreement.agree(attempt(fail)), "rank 1 failed");
  EXPECT_EQ(agreement.agree(""), "");
}

TEST(Agreement, FailureWithoutWordsIsAFailure) {
  EXPECT_NE(attempt([] { throw std::runtime_error(""); }), "");
}

}  // namespace
}  // namespace tutti::bench

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  testing::InitGoogleTest(&argc, argv);
  const int status = RUN_ALL_TESTS();
  MPI_Finalize();
  return status;
}
