#pragma once

#include <gtest/gtest.h>

#include <string>

namespace tutti::test {

/// Ends the whole job at the first failure on any rank, with that rank's message: a rank that left
/// a test early would otherwise keep the others waiting in their next collective. With
/// $RUN_MPI_KEEP_GOING set it only tells, for someone who looks for several causes at once.
class EndJobAtFailure : public testing::EmptyTestEventListener {
 public:
  EndJobAtFailure(int rank, int size);

  void OnTestStart(const testing::TestInfo& info) override;
  void OnTestPartResult(const testing::TestPartResult& result) override;

 private:
  int rank_;
  int size_;
  std::string test_ = "outside a test";
};

/// Makes every rank run what rank 0 was asked to run, and rank 0 alone report. Call it after
/// InitGoogleTest. Collective.
void follow_rank_0(int rank, int size);

}  // namespace tutti::test
