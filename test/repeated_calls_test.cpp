#include "repeated_calls.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "tutti/device.hpp"
#include "tutti/memory.hpp"

namespace tutti {
namespace {

float memory[64];
int numbers[64];

DeviceSpan<float> floats(std::size_t at, std::size_t count) {
  return {memory + at, count};
}

nccl::SingleCall marked(std::size_t mark) {
  nccl::SingleCall call;
  call.count = mark;
  return call;
}

// Each differs from the first in one thing.
std::vector<Operation> different_operations() {
  std::vector<Operation> all{all_reduce(floats(0, 8), floats(16, 8), sum),
                             all_reduce(floats(0, 8), floats(16, 8), prod),
                             all_reduce(floats(0, 7), floats(16, 7), sum),
                             all_reduce(floats(1, 8), floats(16, 8), sum),
                             all_reduce(floats(0, 8), floats(17, 8), sum),
                             all_reduce(floats(0, 8), sum),
                             scan(floats(0, 8), floats(16, 8), sum),
                             reduce(floats(0, 8), floats(16, 8), sum, 0),
                             reduce(floats(0, 8), floats(16, 8), sum, 1),
                             all_gather(floats(0, 8), floats(16, 16)),
                             all_gather(floats(0, 16)),
                             broadcast(floats(0, 16), 0),
                             broadcast(floats(0, 16), 3),
                             all_reduce(DeviceSpan<int>(numbers, 8), sum),
                             all_reduce(std::span<float>(memory, 8), sum),
                             send(floats(0, 8), 0),
                             send(floats(0, 8), 3),
                             recv(floats(0, 8), 0),
                             recv(floats(0, 8), 3),
                             send_recv(floats(0, 8), 1, floats(16, 8), 2),
                             send_recv(floats(0, 8), 2, floats(16, 8), 1),
                             send_recv(floats(0, 8), 2, floats(16, 8), 2),
                             send_recv(floats(0, 8), 2, floats(16, 7), 2),
                             barrier()};
  all.push_back(all.front());
  all.back().send.type = all.back().receive.type = DataType::int32;
  return all;
}

TEST(RepeatedCalls, WhatIsFoundIsWhatWasAdded) {
  const std::vector<Operation> all = different_operations();
  for (std::size_t added = 0; added < all.size(); ++added) {
    RepeatedCalls calls;
    EXPECT_EQ(calls.find(all[added]), nullptr);
    calls.add(all[added], marked(added + 1));
    for (std::size_t asked = 0; asked < all.size(); ++asked) {
      const nccl::SingleCall* const found = calls.find(all[asked]);
      ASSERT_EQ(found != nullptr, asked == added) << asked << " after " << added;
      EXPECT_TRUE(found == nullptr || found->count == added + 1);
    }
  }
}

TEST(RepeatedCalls, WhatIsNotTheSameEachTimeIsNeverFound) {
  const Operation plain = all_reduce(floats(0, 8), sum);
  const std::array<std::size_t, 1> counts{8};
  std::vector<Operation> others{plain.within(std::chrono::seconds(1)),
                                plain.within(std::chrono::seconds(0)),
                                all_reduce(floats(0, 8), pre_multiplied(2.0F)),
                                send(floats(0, 8), 0, 1),
                                barrier(),
                                all_gather(floats(0, 8), floats(16, 8), Blocks(counts)),
                                plain};
  others.back().tag = 1;
  RepeatedCalls calls;
  calls.add(plain, marked(1));
  EXPECT_TRUE(RepeatedCalls::takes(plain));
  EXPECT_FALSE(RepeatedCalls::takes(all_reduce(std::span<float>(memory, 8), sum)));
  for (const Operation& other : others) {
    EXPECT_FALSE(RepeatedCalls::takes(other)) << describe(other);
    EXPECT_EQ(calls.find(other), nullptr) << describe(other);
  }
}

TEST(RepeatedCalls, AnOlderOneMakesRoom) {
  RepeatedCalls calls;
  std::vector<float> many(4096);
  const auto at = [&](std::size_t i) {
    return broadcast(DeviceSpan<float>(many.data() + i, 1), 0);
  };
  for (std::size_t i = 0; i < many.size(); ++i) calls.add(at(i), marked(i));
  std::size_t known = 0;
  for (std::size_t i = 0; i < many.size(); ++i)
    if (const nccl::SingleCall* const call = calls.find(at(i))) {
      EXPECT_EQ(call->count, i);
      ++known;
    }
  EXPECT_GT(known, 0U);
  EXPECT_NE(calls.find(at(many.size() - 1)), nullptr);
}

}  // namespace
}  // namespace tutti
