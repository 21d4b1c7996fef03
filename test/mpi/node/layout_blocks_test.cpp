// Operations with a block for each rank, on nodes of odd layouts.
#include "mpi/node/layout.hpp"

#include <algorithm>
#include <span>

#include "support/communicators.hpp"

namespace tutti::test {
namespace {

using LayoutBlocks = Layout;

std::vector<int> part_of(const std::vector<int>& all, std::size_t begin, std::size_t count) {
  const auto first = all.begin() + static_cast<std::ptrdiff_t>(begin);
  return std::vector<int>(first, first + static_cast<std::ptrdiff_t>(count));
}

/// Blocks of all ranks, equal or of a size for each, some of them empty; packed, or from the last
/// one to the first with a gap before each.
struct SomeBlocks {
  SomeBlocks(std::size_t count, bool uneven, bool gaps) : is_uneven(uneven), has_gaps(gaps) {
    const auto n = static_cast<std::size_t>(size());
    for (std::size_t r = 0; r < n; ++r) counts.push_back(uneven ? r % 3 * count + r / 3 : count);
    offsets.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t r = gaps ? n - 1 - i : i;
      extent += gaps ? 3 : 0;
      offsets[r] = extent;
      extent += counts[r];
    }
  }
  Blocks blocks() const { return has_gaps ? Blocks(counts, offsets) : Blocks(counts); }
  std::size_t own() const { return counts[static_cast<std::size_t>(rank())]; }
  std::size_t own_offset() const { return offsets[static_cast<std::size_t>(rank())]; }
  /// All ranks' numbers at their places.
  std::vector<int> filled() const {
    std::vector<int> all(extent, -1);
    for (int r = 0; r < size(); ++r) {
      const auto i = static_cast<std::size_t>(r);
      const auto numbers = numbers_of(r, counts[i]);
      std::copy(numbers.begin(), numbers.end(),
                all.begin() + static_cast<std::ptrdiff_t>(offsets[i]));
    }
    return all;
  }

  bool is_uneven;
  bool has_gaps;
  std::vector<std::size_t> counts, offsets;
  std::size_t extent = 0;
};

template <class Check>
void for_all_blocks(const Check& check) {
  for (const std::size_t count : all_counts)
    for (const auto& [uneven, gaps] : {std::pair{false, false}, {true, false}, {true, true}})
      check(SomeBlocks(count, uneven, gaps));
}

TEST_P(LayoutBlocks, GathersAndScattersBlocks) {
  const Communicator comm(MPI_COMM_WORLD);
  for_all_blocks([&](const SomeBlocks& some) {
    const std::vector<int> own = numbers_of(rank(), some.own()), all = some.filled();
    std::vector<int> gathered(some.extent, -1);
    comm.run(some.is_uneven ? all_gather(own, gathered, some.blocks()) : all_gather(own, gathered));
    EXPECT_EQ(gathered, all);
    for (int root = 0; root < size(); ++root) {
      const bool is_root = rank() == root;
      std::vector<int> at_root(is_root ? some.extent : 0, -1), from_root(some.own());
      comm.run(some.is_uneven ? gather(own, at_root, root, some.blocks())
                              : gather(own, at_root, root));
      EXPECT_EQ(at_root, is_root ? all : std::vector<int>()) << root;
      comm.run(some.is_uneven ? scatter(at_root, from_root, root, some.blocks())
                              : scatter(at_root, from_root, root));
      EXPECT_EQ(from_root, own) << root;
    }
  });
}

TEST_P(LayoutBlocks, ReducesIntoBlocks) {
  const Communicator comm(MPI_COMM_WORLD);
  for_all_blocks([&](const SomeBlocks& some) {
    const std::vector<int> in = numbers_of(rank(), some.extent);
    const std::vector<int> wanted =
        part_of(total(size(), some.extent), some.own_offset(), some.own());
    std::vector<int> own(some.own()), inside = in;
    comm.run(some.is_uneven ? reduce_scatter(in, own, sum, some.blocks())
                            : reduce_scatter(in, own, sum));
    EXPECT_EQ(own, wanted);
    const std::span<int> place(inside.data() + some.own_offset(), some.own());
    comm.run(some.is_uneven ? reduce_scatter(inside, place, sum, some.blocks())
                            : reduce_scatter(inside, place, sum));
    std::vector<int> expected = in;
    std::copy(wanted.begin(), wanted.end(),
              expected.begin() + static_cast<std::ptrdiff_t>(some.own_offset()));
    EXPECT_EQ(inside, expected) << "in place";
    const std::vector<double> ones(some.extent, rank());
    std::vector<double> means(some.own());
    comm.run(reduce_scatter(ones, means, avg, some.blocks()));
    EXPECT_EQ(means, std::vector<double>(some.own(), (size() - 1) / 2.0));
  });
}

/// What rank `from` sends to `to`.
std::vector<int> between(int from, int to, std::size_t count) {
  return numbers_of(from * 10 + to, count);
}

TEST_P(LayoutBlocks, ExchangesBlocks) {
  const Communicator comm(MPI_COMM_WORLD);
  for (const std::size_t count : all_counts)
    for (const bool uneven : {false, true}) {
      const auto sent = [&](int from, int to) {
        return uneven ? count * static_cast<std::size_t>((from + to) % 3) : count;
      };
      std::vector<int> in, wanted;
      std::vector<std::size_t>
          counts;  // of both sides: what goes to a rank is as long as what comes
      for (int r = 0; r < size(); ++r) {
        counts.push_back(sent(rank(), r));
        const auto to = between(rank(), r, counts.back()), from = between(r, rank(), counts.back());
        in.insert(in.end(), to.begin(), to.end());
        wanted.insert(wanted.end(), from.begin(), from.end());
      }
      const Blocks blocks(counts);
      std::vector<int> out(wanted.size()), in_place = in;
      comm.run(uneven ? all_to_all(in, blocks, out, blocks) : all_to_all(in, out));
      EXPECT_EQ(out, wanted);
      comm.run(uneven ? all_to_all(in_place, blocks, in_place, blocks)
                      : all_to_all(in_place, in_place));
      EXPECT_EQ(in_place, wanted) << "in place";
    }
}

INSTANTIATE_TEST_SUITE_P(Of, LayoutBlocks, testing::ValuesIn(all_layouts),
                         [](const auto& of) { return name_of(of.param); });

}  // namespace
}  // namespace tutti::test
