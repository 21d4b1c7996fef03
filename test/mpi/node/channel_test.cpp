#include "mpi/node/channel.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace tutti::test {
namespace {

using mpi::node::Channel;
using mpi::node::Lane;

struct Written {
  std::uint64_t step;
  const std::byte* begin;
  const std::byte* end;
};

// Whatever a step overwrites, of the data and of the flags, is of steps that all ranks have
// finished by then.
TEST(Channel, NoStepOverwritesOneThatMayBeReadStill) {
  constexpr std::size_t wide = 4096, narrow = 1024, slots = 4;
  std::vector<std::byte> memory(1 << 20);
  for (const std::size_t fractions : {1U, 2U, 4U}) {
    Channel channel(memory.data(), memory.size(),
                    {0, 1 << 16, 1 << 15, slots, fractions, wide, narrow, wide + 64});
    std::mt19937 random(static_cast<unsigned>(fractions));
    std::vector<Written> all;
    for (int operation = 0; operation < 500; ++operation) {
      const std::size_t bytes = random() % 2 == 0 ? narrow - random() % 8 : wide - random() % 8;
      const std::uint64_t first = channel.take(1 + random() % 9, bytes);
      for (std::uint64_t step = first; step <= channel.last(); ++step) {
        const std::byte* const begin = channel.data(0, step);
        const std::byte* const end = begin + bytes;
        for (const Written& before : all) {
          const bool same = before.begin < end && begin < before.end;
          const bool same_flag = &channel.flag(0, before.step) == &channel.flag(0, step);
          if (same || same_flag) {
            ASSERT_LE(before.step, channel.last_before(step));
          }
        }
        const std::uint64_t done = channel.last_before(step);
        ASSERT_TRUE(done < first || done + 1 < step)
            << "ranks that each write a step ahead, and read, wait for one another";
        all.push_back({step, begin, end});
      }
    }
  }
}

TEST(Channel, FractionsLetAWriterGetFurtherAhead) {
  std::vector<std::byte> memory(1 << 20);
  for (const std::size_t fractions : {1U, 2U, 4U}) {
    Channel channel(memory.data(), memory.size(),
                    {0, 1 << 16, 1 << 15, 4, fractions, 4096, 1024, 4160});
    channel.take(100, 1024);
    EXPECT_EQ(channel.last_before(50), 50 - 4 * fractions);
    channel.take(100, 1025);
    EXPECT_EQ(channel.last_before(150), 146U);
  }
}

}  // namespace
}  // namespace tutti::test
