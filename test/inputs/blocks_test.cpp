// Case 86 and its kind: counts and offsets of the wrong length or that lead out of the memory.
#include <limits>

#include "support/communicators.hpp"

namespace tutti::test {
namespace {

using Sizes = std::vector<std::size_t>;

class BadBlocks : public OnWorld {
 protected:
  void expect_refused(const Operation& operation, const std::vector<std::string>& words = {}) {
    const Failure failure = failure_of([&] { world_.run(operation); });
    ASSERT_TRUE(failure.thrown) << describe(operation);
    EXPECT_EQ(failure.code, Errc::invalid_argument) << failure.text;
    for (const std::string& word : words) EXPECT_TRUE(has(failure.text, word));
  }
  std::vector<int> own_ = std::vector<int>(2, 7);
  std::vector<int> all_ = std::vector<int>(2 * ranks());
};

TEST_F(BadBlocks, LengthsThatAreNotTheNumberOfRanks) {
  const Sizes few(ranks() - 1, 2), many(ranks() + 1, 2), right(ranks(), 2);
  const std::string n = std::to_string(size());
  expect_refused(all_gather(own_, all_, Blocks(few)), {n, std::to_string(size() - 1)});
  expect_refused(all_gather(own_, all_, Blocks(many)), {n, std::to_string(size() + 1)});
  expect_refused(all_gather(own_, all_, Blocks(right, few)), {n});
  expect_refused(reduce_scatter(all_, own_, sum, Blocks(few)), {n});
  expect_refused(gather(own_, all_, rank(), Blocks(few)), {n});
  expect_refused(scatter(all_, own_, rank(), Blocks(many)), {n});
  expect_refused(all_to_all(all_, Blocks(few), all_, Blocks(right)), {n});
  expect_works(world_);
}

TEST_F(BadBlocks, BlocksOutsideTheMemory) {
  Sizes counts(ranks(), 2), offsets(ranks());
  for (std::size_t r = 0; r < ranks(); ++r) offsets[r] = 2 * r;
  offsets.back() += 1;
  expect_refused(all_gather(own_, all_, Blocks(counts, offsets)));
  // A sum that would wrap round to something small.
  offsets.back() = std::numeric_limits<std::size_t>::max() - 1;
  expect_refused(all_gather(own_, all_, Blocks(counts, offsets)));
  expect_refused(scatter(all_, own_, rank(), Blocks(counts, offsets)));
  counts.back() = 3;
  expect_refused(reduce_scatter(all_, own_, sum, Blocks(counts)));
  expect_works(world_);
}

TEST_F(BadBlocks, OwnCountThatIsNotTheMemorys) {
  Sizes counts(ranks(), 2);
  std::vector<int> three(3), room(3 * ranks());
  expect_refused(all_gather(three, room, Blocks(counts)), {"3", "2"});
  expect_refused(reduce_scatter(room, three, sum, Blocks(counts)));
  expect_works(world_);
}

TEST_F(BadBlocks, ReceiveBlocksThatOverlap) {
  if (size() < 2) return;
  const Sizes counts(ranks(), 2);
  Sizes offsets(ranks());
  for (std::size_t r = 0; r < ranks(); ++r) offsets[r] = 2 * r;
  offsets[1] = 1;
  expect_refused(all_gather(own_, all_, Blocks(counts, offsets)), {"overlap"});
  expect_refused(gather(own_, all_, rank(), Blocks(counts, offsets)), {"overlap"});
  std::vector<int> in(2 * ranks());
  expect_refused(all_to_all(in, Blocks(counts), all_, Blocks(counts, offsets)), {"overlap"});
  expect_works(world_);
}

// Empty vectors where the memory does not matter; `&v[0]` is never formed.
TEST_F(BadBlocks, EmptyMemoryOnRanksWhereItDoesNotMatter) {
  std::vector<int> none;
  const Sizes counts(ranks(), 2), no_counts;
  const bool root = rank() == 0;
  world_.gather(own_, root ? all_ : none, 0);
  world_.gather(own_, root ? all_ : none, 0, Blocks(root ? counts : no_counts));
  if (root) {
    EXPECT_EQ(all_, std::vector<int>(all_.size(), 7));
  }
  world_.scatter(root ? all_ : none, own_, 0, Blocks(root ? counts : no_counts));
  EXPECT_EQ(own_, std::vector<int>(2, 7));
  world_.reduce(own_, root ? own_ : none, sum, 0);
}

// What one rank alone sees is told to all when all are asked; none is left waiting.
TEST_F(BadBlocks, WhatOnlyRootSeesReachesAllRanksUnderAGlobalCheck) {
  Options options;
  options.check = Check::global;
  const Communicator checked(MPI_COMM_WORLD, options);
  const Sizes few(ranks() - 1, 2);
  const Failure failure = agreed_failure_of([&] { checked.gather(own_, all_, 0, Blocks(few)); });
  EXPECT_TRUE(failure.thrown);
  expect_works(checked);
}

}  // namespace
}  // namespace tutti::test
