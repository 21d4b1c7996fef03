// resolve: what backends are handed. That wrong calls are refused is tested in test/inputs through
// the front end; here, where the memory of each form lies.
#include "core/check.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "support/world.hpp"

namespace tutti::test {
namespace {

std::vector<int> whole(12), elsewhere(12), block(3);

TEST(Resolve, OneRangeIsBothSides) {
  const Operation op = resolve(all_reduce(whole, sum), 1, 4);
  EXPECT_EQ(op.send.data, whole.data());
  EXPECT_EQ(op.receive.data, whole.data());
  EXPECT_EQ(op.send.count, 12U);
  EXPECT_EQ(op.receive.kind, MemoryKind::host);
}

TEST(Resolve, AllGatherInPlaceSendsTheOwnBlock) {
  const Operation op = resolve(all_gather(whole), 2, 4);
  EXPECT_EQ(op.send.data, whole.data() + 6);
  EXPECT_EQ(op.send.count, 3U);
  EXPECT_EQ(op.receive.count, 12U);
}

TEST(Resolve, ReduceScatterInPlaceReceivesTheOwnBlock) {
  const Operation op = resolve(reduce_scatter(whole, sum), 3, 4);
  EXPECT_EQ(op.receive.data, whole.data() + 9);
  EXPECT_EQ(op.receive.count, 3U);
  EXPECT_EQ(op.send.count, 12U);
}

TEST(Resolve, ASideThatDoesNotMatterIsEmpty) {
  const Operation gathered = resolve(gather(block, whole, 0), 1, 4);
  EXPECT_EQ(gathered.receive.data, nullptr);
  EXPECT_EQ(gathered.receive.count, 0U);
  const Operation scattered = resolve(scatter(whole, block, 0), 1, 4);
  EXPECT_EQ(scattered.send.data, nullptr);
  const Operation reduced = resolve(tutti::reduce(whole, elsewhere, sum, 0), 1, 4);
  EXPECT_EQ(reduced.receive.data, nullptr);
}

TEST(Resolve, WhatDoesNotMatterIsNotLookedAt) {
  ReceiveView nonsense;
  nonsense.data = reinterpret_cast<void*>(3);
  nonsense.count = 7;
  nonsense.type = DataType::float64;
  nonsense.given = true;
  EXPECT_NO_THROW(resolve(gather(block, nonsense, 0), 1, 4));
  EXPECT_TRUE(failure_of([&] { resolve(gather(block, nonsense, 1), 1, 4); }).thrown);
}

TEST(Resolve, SizeOneTakesEveryForm) {
  for (const Operation& op : {all_reduce(whole, sum), all_gather(whole), reduce_scatter(whole, sum),
                              gather(whole, elsewhere, 0), scatter(whole, elsewhere, 0),
                              all_to_all(whole, elsewhere), broadcast(whole, 0), barrier()})
    EXPECT_NO_THROW(resolve(op, 0, 1)) << describe(op);
}

// Options::check = none skips the checks, not what backends rely on.
TEST(Resolve, UncheckedGivesTheSameMemory) {
  for (const Operation& given :
       {all_reduce(whole, sum), all_gather(whole), reduce_scatter(whole, sum),
        gather(block, whole, 0), scatter(whole, block, 1), broadcast(whole, 1),
        tutti::reduce(whole, sum, 0)}) {
    const Operation checked = resolve(given, 1, 4);
    Operation unchecked = given;
    resolve_unchecked(unchecked, 1, 4);
    EXPECT_EQ(unchecked.send.data, checked.send.data) << describe(given);
    EXPECT_EQ(unchecked.send.count, checked.send.count) << describe(given);
    EXPECT_EQ(unchecked.receive.data, checked.receive.data) << describe(given);
    EXPECT_EQ(unchecked.receive.count, checked.receive.count) << describe(given);
    EXPECT_EQ(unchecked.receive.kind, checked.receive.kind) << describe(given);
  }
}

}  // namespace
}  // namespace tutti::test
