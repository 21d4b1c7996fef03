// What ranks read out of each other's processes; here out of each other's threads' memory.
#include "mpi/node/direct.hpp"

#include "mpi/node/peer_memory.hpp"
#include "mpi/node/pipeline.hpp"
#include "mpi/node/thread_team.hpp"
#include "support/world.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <thread>

namespace tutti::test {
namespace {

using namespace mpi::node;

constexpr std::size_t block_sizes[] = {1, 4097, 65536, 300'001};

/// Values that tell the rank and the place apart.
std::vector<std::byte> bytes_of(int rank, std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::size_t i = 0; i < count; ++i)
    bytes[i] = static_cast<std::byte>(i * 31 + i / 4096 + static_cast<std::size_t>(rank) * 97);
  return bytes;
}

std::vector<std::int32_t> multiples_of(int factor, std::size_t count) {
  std::vector<std::int32_t> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<std::int32_t>(i) * factor;
  return values;
}

class DirectTeam : public testing::TestWithParam<int> {
 protected:
  /// `body(team, direct, block)` on each rank for each size.
  template <class Body>
  void for_all_sizes(const Body& body) {
    team_.run([&](Team& team) {
      Direct direct(team);
      enter(team, 1);
      ASSERT_TRUE(direct.possible());
      for (const std::size_t block : block_sizes) {
        enter(team, block << 1);
        body(team, direct, block);
      }
    });
  }
  int size() const { return GetParam(); }
  ThreadTeam team_{GetParam()};
};

TEST_P(DirectTeam, Broadcast) {
  for_all_sizes([](Team& team, Direct& direct, std::size_t bytes) {
    for (int root = 0; root < team.size(); ++root) {
      std::vector<std::byte> data(bytes);
      if (team.rank() == root) data = bytes_of(root, bytes);
      ASSERT_TRUE(direct.broadcast(data.data(), bytes, root));
      EXPECT_EQ(data, bytes_of(root, bytes)) << bytes << " from " << root;
    }
  });
}

TEST_P(DirectTeam, AllGatherOfUnevenBlocks) {
  for_all_sizes([](Team& team, Direct& direct, std::size_t bytes) {
    std::vector<std::size_t> counts;
    for (int r = 0; r < team.size(); ++r)
      counts.push_back(r == 1 ? 0 : bytes + static_cast<std::size_t>(r));
    const Blocks blocks(counts);
    std::vector<std::byte> wanted;
    for (int r = 0; r < team.size(); ++r) {
      const auto block = bytes_of(r, counts[static_cast<std::size_t>(r)]);
      wanted.insert(wanted.end(), block.begin(), block.end());
    }
    const auto own = bytes_of(team.rank(), counts[static_cast<std::size_t>(team.rank())]);
    std::vector<std::byte> all(wanted.size());
    ASSERT_TRUE(direct.all_gather(own.data(), all.data(), {BlockLayout(blocks), 1}));
    EXPECT_EQ(all, wanted) << bytes;
  });
}

TEST_P(DirectTeam, ScatterAndAllToAll) {
  for_all_sizes([](Team& team, Direct& direct, std::size_t block) {
    const auto n = static_cast<std::size_t>(team.size());
    const auto me = static_cast<std::size_t>(team.rank());
    const auto part = [&](int rank, std::size_t i) {
      const auto all = bytes_of(rank, block * n);
      const auto begin = all.begin() + static_cast<std::ptrdiff_t>(i * block);
      return std::vector<std::byte>(begin, begin + static_cast<std::ptrdiff_t>(block));
    };
    const auto mine = bytes_of(team.rank(), block * n);
    const int root = team.size() - 1;
    std::vector<std::byte> got(block);
    ASSERT_TRUE(
        direct.scatter(team.rank() == root ? mine.data() : nullptr, got.data(), block, root));
    EXPECT_EQ(got, part(root, me)) << "scatter of " << block;
    std::vector<std::byte> all(block * n), wanted;
    for (int r = 0; r < team.size(); ++r) {
      const auto theirs = part(r, me);
      wanted.insert(wanted.end(), theirs.begin(), theirs.end());
    }
    ASSERT_TRUE(direct.all_to_all(mine.data(), all.data(), block));
    EXPECT_EQ(all, wanted) << "all_to_all of " << block;
  });
}

TEST_P(DirectTeam, Reduce) {
  for_all_sizes([](Team& team, Direct& direct, std::size_t count) {
    const int root = team.size() / 2;
    std::vector<std::int32_t> in = multiples_of(team.rank() + 1, count), out(count);
    ASSERT_TRUE(direct.reduce({sum, DataType::int32, sizeof(std::int32_t)},
                              reinterpret_cast<const std::byte*>(in.data()),
                              reinterpret_cast<std::byte*>(out.data()), count, root));
    if (team.rank() != root) return;
    const int ranks = team.size() * (team.size() + 1) / 2;
    EXPECT_EQ(out, multiples_of(ranks, count)) << count;
  });
}

// The second rank's own array does not matter, so it may be where the result goes.
TEST_P(DirectTeam, ExclusiveScanOfTwo) {
  for_all_sizes([](Team& team, Direct& direct, std::size_t bytes) {
    for (const bool in_place : {false, true}) {
      const std::vector<std::byte> before(bytes, std::byte{7});
      std::vector<std::byte> in = bytes_of(team.rank(), bytes), out = before;
      std::vector<std::byte>& result = in_place ? in : out;
      const bool done =
          direct.exclusive_scan({sum, DataType::uint8, 1}, in.data(), result.data(), bytes);
      ASSERT_EQ(done, team.size() == 2);
      if (done && team.rank() == 1) {
        EXPECT_EQ(result, bytes_of(0, bytes));
      } else {
        EXPECT_EQ(in, bytes_of(team.rank(), bytes));
        EXPECT_EQ(out, before);
      }
    }
  });
}

// One array alone is reduced all the same: logical operations give 0 or 1.
TEST(Direct, AnExclusiveScanReducesWhatItReads) {
  ThreadTeam pair(2);
  pair.run([](Team& team) {
    Direct direct(team);
    enter(team, 1);
    std::vector<std::byte> data = bytes_of(team.rank(), 100'000), truth = bytes_of(0, data.size());
    for (std::byte& value : truth) value = value == std::byte{0} ? std::byte{0} : std::byte{1};
    ASSERT_TRUE(direct.exclusive_scan({logical_or, DataType::uint8, 1}, data.data(), data.data(),
                                      data.size()));
    EXPECT_EQ(data, team.rank() == 1 ? truth : bytes_of(0, data.size()));
  });
}

TEST_P(DirectTeam, AllReduceInPlaceOnSomeRanks) {
  for_all_sizes([](Team& team, Direct& direct, std::size_t count) {
    std::vector<std::int32_t> in = multiples_of(team.rank() + 1, count), out(count);
    auto* const from = reinterpret_cast<std::byte*>(in.data());
    std::vector<std::int32_t>& result = team.rank() % 2 == 1 ? in : out;
    const bool done = direct.all_reduce({sum, DataType::int32, sizeof(std::int32_t)}, from,
                                        reinterpret_cast<std::byte*>(result.data()), count);
    ASSERT_EQ(done, count * sizeof(std::int32_t) <= 1 << 20) << count;
    const int ranks = team.size() * (team.size() + 1) / 2;
    if (done) {
      EXPECT_EQ(result, multiples_of(ranks, count)) << count;
    }
  });
}

// Whatever is found out each time, the ranks find the same, and what was under way is not
// disturbed.
TEST_P(DirectTeam, WhatPaysIsMeasuredAgainAfterSoManyBytes) {
  constexpr std::size_t bytes = 100'000;
  team_.run([&](Team& team) {
    Direct direct(team, 2 * bytes);
    int trials = 0;
    for (std::uint64_t call = 0; call < 6; ++call) {
      enter(team, 1 + call);
      const std::uint64_t before = team.small().last() + team.input().last();
      const bool pays = direct.pays(bytes);
      trials += team.small().last() + team.input().last() != before ? 1 : 0;
      tell_each_other(team, pays, [&](int, bool theirs) { EXPECT_EQ(theirs, pays) << call; });
      const auto own = bytes_of(team.rank(), bytes);
      std::vector<std::byte> all(bytes * team.n());
      mpi::node::all_gather(team, own.data(), all.data(), {BlockLayout(bytes), 1});
      for (int r = 0; r < team.size(); ++r) {
        const auto* const begin = all.data() + static_cast<std::size_t>(r) * bytes;
        EXPECT_EQ(std::vector<std::byte>(begin, begin + bytes), bytes_of(r, bytes)) << call;
      }
    }
    // At the first call, and at each second one after that.
    EXPECT_EQ(trials, 3);
  });
}

INSTANTIATE_TEST_SUITE_P(Of, DirectTeam, testing::Values(1, 2, 3, 4));

TEST(Direct, MemoryThatNobodyCanReadIsRefusedByAll) {
  ThreadTeam pair(2);
  pair.run([](Team& team) {
    Direct direct(team);
    enter(team, 1);
    // Rank 1's cannot be read, as that of a driver.
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    void* const closed = mmap(nullptr, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(closed, MAP_FAILED);
    std::vector<std::byte> own(page), all(2 * page);
    const auto* const in = team.rank() == 1 ? static_cast<std::byte*>(closed) : own.data();
    EXPECT_FALSE(direct.all_gather(in, all.data(), {BlockLayout(page), 1}));
    EXPECT_FALSE(direct.scatter(team.rank() == 1 ? in : nullptr, all.data(), page / 2, 1));
    const auto* const sent = team.rank() == 0 ? static_cast<std::byte*>(closed) : own.data();
    EXPECT_FALSE(direct.exclusive_scan({sum, DataType::uint8, 1}, sent, all.data(), page));
    std::byte* const data = team.rank() == 0 ? static_cast<std::byte*>(closed) : all.data();
    EXPECT_FALSE(direct.broadcast(data, page, 0));
    EXPECT_EQ(all, std::vector<std::byte>(2 * page)) << "nothing was done";
    munmap(closed, page);
  });
}

// What could be read is overwritten with the same when the slots do it all.
TEST(Direct, MemoryThatCannotBeReadToItsEndIsRefusedByBoth) {
  ThreadTeam pair(2);
  pair.run([](Team& team) {
    Direct direct(team);
    enter(team, 1);
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    void* const pages =
        mmap(nullptr, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(pages, MAP_FAILED);
    const int allowed = team.rank() == 0 ? PROT_NONE : PROT_READ | PROT_WRITE;
    ASSERT_EQ(mprotect(static_cast<std::byte*>(pages) + page, page, allowed), 0);
    auto* const data = static_cast<std::byte*>(pages);
    std::vector<std::byte> result(3 * page);
    EXPECT_FALSE(direct.broadcast(data, 3 * page, 0));
    EXPECT_FALSE(
        direct.exclusive_scan({sum, DataType::uint8, 1}, data, result.data(), result.size()));
    EXPECT_TRUE(direct.broadcast(result.data(), result.size(), 0)) << "the next one works";
    munmap(pages, 3 * page);
  });
}

TEST(Direct, AnExchangeInPlaceOnOneRankIsRefusedByAll) {
  ThreadTeam pair(2);
  pair.run([](Team& team) {
    Direct direct(team);
    enter(team, 1);
    constexpr std::size_t block = 5000;
    const std::vector<std::byte> mine = bytes_of(team.rank(), 2 * block);
    std::vector<std::byte> in = mine, out(2 * block);
    EXPECT_FALSE(direct.all_to_all(in.data(), team.rank() == 1 ? in.data() : out.data(), block));
    EXPECT_EQ(in, mine) << "nothing was done";
  });
}

// The root gives up waiting; whoever comes later must not take its memory for good.
TEST(Direct, ARootThatGaveUpIsTold) {
  ThreadTeam pair(2);
  std::atomic<bool> gone{false};
  pair.run([&](Team& team) {
    Direct direct(team);
    std::vector<std::byte> data(100'000);
    if (team.rank() == 0) {
      team.enter(1, Deadline::in(std::chrono::milliseconds(50)));
      const Failure failure = failure_of([&] { direct.broadcast(data.data(), data.size(), 0); });
      EXPECT_EQ(failure.code, Errc::timeout) << failure.text;
      gone = true;
    } else {
      while (!gone) std::this_thread::yield();
      enter(team, 1);
      const Failure failure = failure_of([&] { direct.broadcast(data.data(), data.size(), 0); });
      EXPECT_EQ(failure.code, Errc::broken) << failure.text;
      EXPECT_NE(failure.text.find("rank 10 gave up"), std::string::npos) << failure.text;
    }
  });
}

TEST(PeerMemory, WhatIsNotThereIsNotRead) {
  std::byte byte{};
  EXPECT_FALSE(read_process(getpid(), 16, &byte, 1));
  EXPECT_FALSE(is_readable_by_others(reinterpret_cast<void*>(16), 8));
  EXPECT_FALSE(is_readable_by_others(nullptr, 0));
  const std::vector<std::byte> good(100'000, std::byte{5});
  std::vector<std::byte> copy(good.size());
  EXPECT_TRUE(is_readable_by_others(good.data(), good.size()));
  EXPECT_TRUE(read_process(getpid(), reinterpret_cast<std::uintptr_t>(good.data()), copy.data(),
                           copy.size()));
  EXPECT_EQ(copy, good);
}

}  // namespace
}  // namespace tutti::test
