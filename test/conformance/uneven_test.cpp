// Blocks of different sizes, packed and with offsets that leave gaps and change their order.
#include <numeric>

#include "conformance/fixture.hpp"

namespace tutti::test {
namespace {

/// Block sizes of all ranks and where the blocks lie.
struct Layout {
  std::vector<std::size_t> counts;
  std::vector<std::size_t> offsets;
  bool packed;
  std::size_t extent;  // elements of the memory that holds them

  Blocks blocks() const { return packed ? Blocks(counts) : Blocks(counts, offsets); }
};

Layout packed(std::vector<std::size_t> counts) {
  Layout layout{std::move(counts), {}, true, 0};
  for (const std::size_t count : layout.counts) {
    layout.offsets.push_back(layout.extent);
    layout.extent += count;
  }
  return layout;
}

// The last rank's block first, three elements of nobody's before each block and behind the last.
Layout with_gaps(std::vector<std::size_t> counts) {
  Layout layout{std::move(counts), {}, false, 3};
  layout.offsets.resize(layout.counts.size());
  for (std::size_t r = layout.counts.size(); r-- > 0;) {
    layout.offsets[r] = layout.extent;
    layout.extent += layout.counts[r] + 3;
  }
  return layout;
}

class Uneven : public Conformance {
 protected:
  // Nothing on some rank, different sizes on the others.
  std::vector<std::size_t> sizes(std::size_t scale) const {
    std::vector<std::size_t> result;
    for (std::size_t r = 0; r < ranks(); ++r) result.push_back((r + 2) % 3 * scale + r);
    if (ranks() > 1) result[1] = 0;
    return result;
  }

  void for_each_layout(const std::function<void(const Layout&, DataType)>& call) {
    for (const std::size_t scale : {std::size_t{2}, GetParam().largest / 8}) {
      call(packed(sizes(scale)), DataType::int32);
      call(with_gaps(sizes(scale)), DataType::complex64);
    }
    call(packed(std::vector<std::size_t>(ranks(), 3)), DataType::uint8);
    call(with_gaps(std::vector<std::size_t>(ranks(), 3)), DataType::boolean);
  }

  // Expects the ranks' blocks at their places and everything between them as it was.
  void expect_blocks(Area& out, const Layout& layout, const std::vector<Bytes>& blocks) {
    for (std::size_t r = 0; r < ranks(); ++r) out.expect(layout.offsets[r], blocks[r]);
    EXPECT_TRUE(out.is_unchanged());
  }
};
TUTTI_ON_EVERY_BACKEND(Uneven);

TEST_P(Uneven, AllGather) {
  for_each_layout([&](const Layout& layout, DataType type) {
    std::vector<Bytes> blocks;
    for (std::size_t r = 0; r < ranks(); ++r)
      blocks.push_back(noise(type, static_cast<int>(r), layout.counts[r]));
    Area in = area_of(type, blocks[self()]);
    Area out = area(type, layout.extent);
    const Operation operation = all_gather(in.send(), out.receive(), layout.blocks());
    if (!serves(operation)) return;
    run({operation});
    expect_blocks(out, layout, blocks);
  });
}

TEST_P(Uneven, Gather) {
  const int root = size() - 1;
  for_each_layout([&](const Layout& layout, DataType type) {
    std::vector<Bytes> blocks;
    for (std::size_t r = 0; r < ranks(); ++r)
      blocks.push_back(noise(type, static_cast<int>(r), layout.counts[r]));
    Area in = area_of(type, blocks[self()]);
    Area out = area(type, layout.extent);
    const bool at_root = rank() == root;
    const Operation operation = at_root ? gather(in.send(), out.receive(), root, layout.blocks())
                                        : gather(in.send(), {}, root, Blocks{});
    if (!serves(operation)) return;
    run({operation});
    if (at_root) expect_blocks(out, layout, blocks);
  });
}

TEST_P(Uneven, Scatter) {
  const int root = size() / 2;
  for_each_layout([&](const Layout& layout, DataType type) {
    const Bytes all = noise(type, root, layout.extent);
    Area in = area_of(type, all);
    Area out = area(type, layout.counts[self()]);
    const bool at_root = rank() == root;
    const Operation operation = at_root ? scatter(in.send(), out.receive(), root, layout.blocks())
                                        : scatter({}, out.receive(), root, Blocks{});
    if (!serves(operation)) return;
    run({operation});
    EXPECT_TRUE(out.holds(0, slice(type, all, layout.offsets[self()], layout.counts[self()])));
    EXPECT_TRUE(in.is_unchanged());
  });
}

TEST_P(Uneven, ReduceScatter) {
  for_each_layout([&](const Layout& layout, DataType type) {
    const std::vector<Bytes> inputs = patterns(type, Kind::sum, layout.extent);
    Area in = area_of(type, inputs[self()]);
    Area out = area(type, layout.counts[self()]);
    const Operation operation = reduce_scatter(in.send(), out.receive(), sum, layout.blocks());
    if (!serves(operation)) return;
    run({operation});
    const Bytes all = reduced(type, Kind::sum, inputs);
    EXPECT_TRUE(out.holds(0, slice(type, all, layout.offsets[self()], layout.counts[self()])));
    EXPECT_TRUE(in.is_unchanged());
  });
}

// Rank i sends (i + 2 j) % 4 elements to rank j.
TEST_P(Uneven, AllToAll) {
  const auto count = [](std::size_t from, std::size_t to) { return (from + 2 * to) % 4; };
  for (const bool gaps : {false, true}) {
    std::vector<std::size_t> sent, received;
    for (std::size_t r = 0; r < ranks(); ++r) {
      sent.push_back(count(self(), r));
      received.push_back(count(r, self()));
    }
    const Layout from = gaps ? with_gaps(sent) : packed(sent);
    const Layout to = gaps ? with_gaps(received) : packed(received);
    const auto block = [&](std::size_t source, std::size_t target) {
      return noise(DataType::int16, static_cast<int>(source), count(source, target),
                   static_cast<std::uint32_t>(target));
    };
    Area in = area(DataType::int16, from.extent);
    Area out = area(DataType::int16, to.extent);
    std::vector<Bytes> expected;
    for (std::size_t r = 0; r < ranks(); ++r) {
      in.put(from.offsets[r], block(self(), r));
      expected.push_back(block(r, self()));
    }
    const Operation operation = all_to_all(in.send(), from.blocks(), out.receive(), to.blocks());
    if (!serves(operation)) return;
    run({operation});
    expect_blocks(out, to, expected);
    EXPECT_TRUE(in.is_unchanged());
  }
}

}  // namespace
}  // namespace tutti::test
