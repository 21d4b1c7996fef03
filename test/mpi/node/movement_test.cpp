// What moves between the ranks of a node, which are threads here, against loops over all ranks'
// data.
#include "mpi/node/movement.hpp"

#include <algorithm>
#include <cstring>

#include "mpi/node/thread_team.hpp"
#include "support/reference.hpp"

namespace tutti::test {
namespace {

using namespace mpi::node;

// Around what fits beside a flag, a small slot, a large slot; and several slots, unevenly.
constexpr std::size_t sizes_moved[] = {0, 1, 48, 49, 8192, 8193, 32768, 32769, 150001};

Bytes noise_of(int rank, std::size_t bytes) {
  return noise(DataType::uint8, rank, bytes);
}

/// Memory for a result, with what must stay as it is behind it.
Bytes untouched(std::size_t bytes) {
  return Bytes(bytes, std::byte{0xee});
}

void expect_equal(const Bytes& got, const Bytes& wanted, const char* what, const Team& team,
                  std::size_t bytes, int root = 0) {
  ASSERT_EQ(got.size(), wanted.size());
  const auto differs = std::mismatch(got.begin(), got.end(), wanted.begin()).first - got.begin();
  EXPECT_TRUE(got == wanted) << what << " of " << bytes << " bytes, rank " << team.rank() << " of "
                             << team.size() << ", root " << root << ": byte " << differs;
}

/// Blocks of one size, or of a size for each rank, some of them empty, in an order of their own.
class SomeBlocks {
 public:
  SomeBlocks(int size, std::size_t bytes, bool uneven) : uneven_(uneven) {
    for (int r = 0; r < size; ++r)
      counts_.push_back(uneven ? bytes * at(r % 3) / 2 + at(r == 2 ? 1 : 0) : bytes);
    offsets_.resize(counts_.size());
    for (int r = size - 1; r >= 0; --r) {
      offsets_[at(r)] = uneven ? total_ + 3 : bytes * at(r);  // a gap before each
      total_ = uneven ? offsets_[at(r)] + counts_[at(r)] : total_ + bytes;
    }
    blocks_ = Blocks(counts_, offsets_);
    bytes_ = bytes;
  }
  SomeBlocks(const SomeBlocks&) = delete;
  SomeBlocks& operator=(const SomeBlocks&) = delete;

  ByteBlocks bytes() const { return {uneven_ ? BlockLayout(blocks_) : BlockLayout(bytes_), 1}; }
  std::size_t total() const { return total_; }
  std::size_t count(int rank) const { return counts_[at(rank)]; }
  std::size_t offset(int rank) const { return offsets_[at(rank)]; }
  std::size_t sum() const {
    return std::accumulate(counts_.begin(), counts_.end(), std::size_t{0});
  }
  std::size_t longest() const { return *std::max_element(counts_.begin(), counts_.end()); }

  Bytes block(const Bytes& all, int rank) const {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(offset(rank));
    return Bytes(begin, begin + static_cast<std::ptrdiff_t>(count(rank)));
  }
  void put(Bytes& all, int rank, const Bytes& block) const {
    std::copy(block.begin(), block.end(), all.begin() + static_cast<std::ptrdiff_t>(offset(rank)));
  }

 private:
  static std::size_t at(int rank) { return static_cast<std::size_t>(rank); }

  bool uneven_;
  std::size_t bytes_ = 0;
  std::size_t total_ = 0;
  std::vector<std::size_t> counts_, offsets_;
  Blocks blocks_;
};

/// Teams of 1 to 4 ranks.
class Movement : public testing::TestWithParam<int> {
 protected:
  int size() const { return GetParam(); }

  /// `body(team, bytes, root)` for all sizes and roots, one operation after the other.
  template <class Body>
  void for_all_roots(const Body& body) {
    team_.run([&](Team& team) {
      for (const std::size_t bytes : sizes_moved)
        for (int root = 0; root < size(); ++root) {
          enter(team, bytes << 8 | static_cast<Signature>(root));
          body(team, bytes, root);
        }
    });
  }

  /// `body(team, bytes, blocks)` for all sizes of equal and uneven blocks.
  template <class Body>
  void for_all_blocks(const Body& body) {
    team_.run([&](Team& team) {
      for (const std::size_t bytes : sizes_moved)
        for (const bool uneven : {false, true}) {
          enter(team, bytes << 1 | static_cast<Signature>(uneven));
          body(team, bytes, SomeBlocks(size(), bytes, uneven));
        }
    });
  }

  ThreadTeam team_{GetParam()};
};

TEST_P(Movement, Broadcast) {
  for_all_roots([](Team& team, std::size_t bytes, int root) {
    Bytes data = team.rank() == root ? noise_of(root, bytes) : untouched(bytes);
    broadcast(team, data.data(), bytes, root);
    expect_equal(data, noise_of(root, bytes), "broadcast", team, bytes, root);
  });
}

TEST_P(Movement, BarrierHoldsUntilAllHaveCome) {
  std::vector<std::atomic<int>> rounds(static_cast<std::size_t>(size()));
  team_.run([&](Team& team) {
    for (int round = 1; round <= 500; ++round) {
      rounds[static_cast<std::size_t>(team.rank())].store(round, std::memory_order_relaxed);
      enter(team, 1);
      barrier(team);
      for (const auto& theirs : rounds) ASSERT_GE(theirs.load(std::memory_order_relaxed), round);
    }
  });
}

TEST_P(Movement, AllGather) {
  for_all_blocks([](Team& team, std::size_t bytes, const SomeBlocks& blocks) {
    Bytes wanted = untouched(blocks.total());
    for (int r = 0; r < team.size(); ++r) blocks.put(wanted, r, noise_of(r, blocks.count(r)));
    const Bytes own = noise_of(team.rank(), blocks.count(team.rank()));
    Bytes all = untouched(blocks.total());
    all_gather(team, own.data(), all.data(), blocks.bytes());
    expect_equal(all, wanted, "all_gather", team, bytes);

    all = untouched(blocks.total());
    blocks.put(all, team.rank(), own);
    all_gather(team, all.data() + blocks.offset(team.rank()), all.data(), blocks.bytes());
    expect_equal(all, wanted, "all_gather in place", team, bytes);
  });
}

TEST_P(Movement, Gather) {
  for_all_blocks([](Team& team, std::size_t bytes, const SomeBlocks& blocks) {
    Bytes gathered = untouched(blocks.total());
    for (int r = 0; r < team.size(); ++r) blocks.put(gathered, r, noise_of(r, blocks.count(r)));
    const Bytes own = noise_of(team.rank(), blocks.count(team.rank()));
    for (int root = 0; root < team.size(); ++root) {
      const bool receives = team.rank() == root;
      const BlockSizes own_sizes =
          receives ? blocks.bytes().sizes(team.size()) : BlockSizes{bytes, 1};
      const auto [longest, total] = tell_sizes(team, own_sizes, root);
      ASSERT_EQ(longest, blocks.longest());
      ASSERT_EQ(total, blocks.sum());
      Bytes all = untouched(blocks.total());
      gather(team, own.data(), own.size(), all.data(), blocks.bytes(), longest, root);
      expect_equal(all, receives ? gathered : untouched(blocks.total()), "gather", team, bytes,
                   root);

      all = untouched(blocks.total());
      blocks.put(all, team.rank(), own);
      const Bytes before = all;
      gather(team, all.data() + blocks.offset(team.rank()), own.size(), all.data(), blocks.bytes(),
             longest, root);
      expect_equal(all, receives ? gathered : before, "gather in place", team, bytes, root);
    }
  });
}

TEST_P(Movement, Scatter) {
  for_all_blocks([](Team& team, std::size_t bytes, const SomeBlocks& blocks) {
    const Bytes all = noise_of(9, blocks.total());
    const Bytes wanted = blocks.block(all, team.rank());
    for (int root = 0; root < team.size(); ++root) {
      Bytes own = untouched(wanted.size());
      const std::byte* const in = team.rank() == root ? all.data() : nullptr;
      const ByteBlocks known = team.rank() == root ? blocks.bytes() : ByteBlocks{BlockLayout(0), 1};
      scatter(team, in, known, own.data(), own.size(), blocks.longest(), root);
      expect_equal(own, wanted, "scatter", team, bytes, root);

      Bytes data = team.rank() == root ? all : untouched(blocks.total());
      const Bytes before = data;
      std::byte* const place = data.data() + blocks.offset(team.rank());
      scatter(team, in == nullptr ? nullptr : data.data(), known, place, own.size(),
              blocks.longest(), root);
      expect_equal(blocks.block(data, team.rank()), wanted, "scatter in place", team, bytes, root);
      if (team.rank() == root) expect_equal(data, before, "the source", team, bytes, root);
    }
  });
}

/// Rank a sends blocks.count((a + b) % n) bytes to rank b.
class Exchange {
 public:
  Exchange(const Team& team, const SomeBlocks& blocks) : size_(team.size()), blocks_(blocks) {}

  std::size_t bytes(int from, int to) const { return blocks_.count((from + to) % size_); }
  Bytes data(int from, int to) const { return noise_of(from * 8 + to, bytes(from, to)); }
  std::vector<std::size_t> sent_by(int from) const {
    std::vector<std::size_t> counts;
    for (int to = 0; to < size_; ++to) counts.push_back(bytes(from, to));
    return counts;
  }
  // Symmetric: what a sends to b is as long as what b sends to a.
  Bytes all_from(int from) const {
    Bytes all;
    for (int to = 0; to < size_; ++to) append(all, data(from, to));
    return all;
  }
  Bytes all_to(int to) const {
    Bytes all;
    for (int from = 0; from < size_; ++from) append(all, data(from, to));
    return all;
  }

 private:
  static void append(Bytes& all, const Bytes& more) {
    all.insert(all.end(), more.begin(), more.end());
  }

  int size_;
  const SomeBlocks& blocks_;
};

TEST_P(Movement, AllToAll) {
  for_all_blocks([](Team& team, std::size_t bytes, const SomeBlocks& blocks) {
    const Exchange exchange(team, blocks);
    const std::vector<std::size_t> counts = exchange.sent_by(team.rank());
    const Blocks packed(counts);
    const ByteBlocks layout{BlockLayout(packed), 1};
    BlockSizes own_sizes = layout.sizes(team.size());
    ASSERT_EQ(own_sizes.total, blocks.sum());
    own_sizes.total += static_cast<std::size_t>(team.rank());
    const auto [longest, total] = agree_sizes(team, own_sizes);
    ASSERT_EQ(longest, blocks.longest());
    ASSERT_EQ(total, blocks.sum() + team.others());
    const Bytes in = exchange.all_from(team.rank());
    const Bytes wanted = exchange.all_to(team.rank());
    Bytes out = untouched(wanted.size());
    all_to_all(team, in.data(), layout, out.data(), layout, longest);
    expect_equal(out, wanted, "all_to_all", team, bytes);

    out = in;
    all_to_all(team, out.data(), layout, out.data(), layout, longest);
    expect_equal(out, wanted, "all_to_all in place", team, bytes);
  });
}

INSTANTIATE_TEST_SUITE_P(In, Movement, testing::Values(1, 2, 3, 4),
                         [](const auto& of) { return "TeamOf" + std::to_string(of.param); });

}  // namespace
}  // namespace tutti::test
