// resolve: what backends are handed. That wrong calls are refused is tested in test/inputs through
// the front end; here, where the memory of each form lies.
#include "core/check.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "support/world.hpp"

namespace tutti::test {
namespace {

std::vector<int> data(12), other(12), block(3);

TEST(Resolve, OneRangeIsBothSides) {
  const Operation op = resolve(all_reduce(data, sum), 1, 4);
  EXPECT_EQ(op.send.data, data.data());
  EXPECT_EQ(op.receive.data, data.data());
  EXPECT_EQ(op.send.count, 12U);
  EXPECT_EQ(op.receive.kind, MemoryKind::host);
}

TEST(Resolve, AllGatherInPlaceSendsTheOwnBlock) {
  const Operation op = resolve(all_gather(data), 2, 4);
  EXPECT_EQ(op.send.data, data.data() + 6);
  EXPECT_EQ(op.send.count, 3U);
  EXPECT_EQ(op.receive.count, 12U);
}

TEST(Resolve, ReduceScatterInPlaceReceivesTheOwnBlock) {
  const Operation op = resolve(reduce_scatter(data, sum), 3, 4);
  EXPECT_EQ(op.receive.data, data.data() + 9);
  EXPECT_EQ(op.receive.count, 3U);
  EXPECT_EQ(op.send.count, 12U);
}

TEST(Resolve, ASideThatDoesNotMatterIsEmpty) {
  const Operation gathered = resolve(gather(block, data, 0), 1, 4);
  EXPECT_EQ(gathered.receive.data, nullptr);
  EXPECT_EQ(gathered.receive.count, 0U);
  const Operation scattered = resolve(scatter(data, block, 0), 1, 4);
  EXPECT_EQ(scattered.send.data, nullptr);
  const Operation reduced = resolve(tutti::reduce(data, other, sum, 0), 1, 4);
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
  for (const Operation& op :
       {all_reduce(data, sum), all_gather(data), reduce_scatter(data, sum), gather(data, other, 0),
        scatter(data, other, 0), all_to_all(data, other), broadcast(data, 0), barrier()})
    EXPECT_NO_THROW(resolve(op, 0, 1)) << describe(op);
}

}  // namespace
}  // namespace tutti::test
