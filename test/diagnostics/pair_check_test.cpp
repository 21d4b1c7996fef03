// Blocks of uneven operations: what each rank sends is what its peer expects, or all are told.
#include "diagnostics/pair_check.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <vector>

#include "core/check.hpp"
#include "support/world.hpp"

namespace tutti::test {
namespace {

using Sizes = std::vector<std::size_t>;

class PairCheck : public testing::Test {
 protected:
  void SetUp() override {
    if (size() < 2) GTEST_SKIP() << "takes two ranks to differ";
    std::iota(counts_.begin(), counts_.end(), std::size_t{1});  // rank r has r + 1 elements
    total_ = std::accumulate(counts_.begin(), counts_.end(), std::size_t{0});
    own_.resize(counts_[self()]);
    all_.resize(total_);
  }

  static std::size_t self() { return static_cast<std::size_t>(rank()); }
  void check(const Operation& operation) {
    check_pairs(session_, resolve(operation, rank(), size()));
  }

  // On all ranks, from the lowest rank that saw it.
  void expect_mismatch(const std::function<void()>& call, const std::string& words) {
    const Failure failure = agreed_failure_of(call);
    EXPECT_EQ(failure.code, Errc::mismatch);
    EXPECT_NE(failure.text.find(words), std::string::npos) << failure.text;
  }

  mpi::Session session_{MPI_COMM_WORLD, Options{}, std::nullopt};
  Sizes counts_ = Sizes(static_cast<std::size_t>(size()));
  std::size_t total_ = 0;
  std::vector<int> own_, all_;
};

TEST_F(PairCheck, BlocksThatFitPass) {
  const Blocks blocks(counts_);
  EXPECT_NO_THROW(check(all_gather(own_, all_, blocks)));
  EXPECT_NO_THROW(check(reduce_scatter(all_, own_, sum, blocks)));
  for (int root = 0; root < size(); ++root) {
    EXPECT_NO_THROW(check(gather(own_, all_, root, rank() == root ? blocks : Blocks())));
    EXPECT_NO_THROW(check(scatter(all_, own_, root, rank() == root ? blocks : Blocks())));
  }
  // Rank r sends r + 2 s elements to s.
  Sizes sent(counts_.size()), received(counts_.size());
  for (std::size_t peer = 0; peer < sent.size(); ++peer) {
    sent[peer] = self() + 2 * peer;
    received[peer] = peer + 2 * self();
  }
  std::vector<int> in(std::accumulate(sent.begin(), sent.end(), std::size_t{0}));
  std::vector<int> out(std::accumulate(received.begin(), received.end(), std::size_t{0}));
  EXPECT_NO_THROW(check(all_to_all(in, Blocks(sent), out, Blocks(received))));
}

TEST_F(PairCheck, AGatheringRankThatExpectsMoreIsTold) {
  Sizes wrong = counts_;
  wrong[1] += 3;
  all_.resize(total_ + 3);
  const Blocks expected(wrong), told(counts_);
  // Only the root has blocks, and only rank 1's is another than it sends.
  expect_mismatch([&] { check(gather(own_, all_, 0, rank() == 0 ? expected : Blocks())); },
                  "rank 0: rank 1 sends 2 elements, this rank expects 5");
  if (rank() != 0) all_.resize(total_);
  expect_mismatch([&] { check(all_gather(own_, all_, rank() == 0 ? expected : told)); },
                  "rank 0: rank 1 sends 2 elements, this rank expects 5");
}

TEST_F(PairCheck, AScatteringRootThatSendsMoreIsTold) {
  Sizes wrong = counts_;
  wrong.back() += 1;
  all_.resize(total_ + 1);
  const std::string last = std::to_string(size() - 1);
  expect_mismatch([&] { check(scatter(all_, own_, 0, rank() == 0 ? Blocks(wrong) : Blocks())); },
                  "rank " + last + ": rank 0 sends " + std::to_string(size() + 1) +
                      " elements, this rank expects " + std::to_string(size()));
}

TEST_F(PairCheck, OnePairOfAnAllToAllIsTold) {
  Sizes sent(counts_.size(), 2), received(counts_.size(), 2);
  const int last = size() - 1;
  if (rank() == last) sent[0] = 1;
  std::vector<int> in(std::accumulate(sent.begin(), sent.end(), std::size_t{0}));
  std::vector<int> out(2 * counts_.size());
  expect_mismatch(
      [&] { check(all_to_all(in, Blocks(sent), out, Blocks(received))); },
      "rank 0: rank " + std::to_string(last) + " sends 1 elements, this rank expects 2");
}

}  // namespace
}  // namespace tutti::test
