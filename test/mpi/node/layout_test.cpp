// Nodes of odd layouts: MPI is made to say which ranks share memory.
#include <algorithm>
#include <chrono>
#include <set>
#include <span>

#include "mpi/node/nodes.hpp"
#include "mpi/session.hpp"
#include "support/communicators.hpp"

namespace {
/// The node of each rank of MPI_COMM_WORLD; null: what MPI says.
const std::vector<int>* pretended = nullptr;
}  // namespace

extern "C" int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info,
                                   MPI_Comm* result) {
  if (pretended == nullptr) return PMPI_Comm_split_type(comm, type, key, info, result);
  const auto rank = static_cast<std::size_t>(tutti::test::rank());
  return PMPI_Comm_split(comm, (*pretended)[rank], key, result);
}

namespace tutti::test {
namespace {

/// Rank by rank: nodes of unequal size, nodes whose ranks do not follow one another, the first rank
/// not on the first node, ranks alone on theirs, one node, as many as ranks.
const std::vector<std::vector<int>> all_layouts = {
    {0, 0, 0, 0, 0}, {0, 1, 2, 3, 4}, {0, 1, 0, 1, 0}, {0, 0, 1, 1, 2},
    {0, 0, 0, 0, 1}, {1, 0, 0, 0, 1}, {2, 1, 0, 1, 0}, {0, 1, 1, 1, 1}};

std::string name_of(const std::vector<int>& layout) {
  std::string name;
  for (const int node : layout) name += std::to_string(node);
  return name;
}

class Layout : public testing::TestWithParam<std::vector<int>> {
 protected:
  Layout() {
    layout_.resize(static_cast<std::size_t>(size()));
    pretended = &layout_;
  }
  ~Layout() override { pretended = nullptr; }

  int node_of(int rank) const { return layout_[static_cast<std::size_t>(rank)]; }

  std::vector<int> layout_ = GetParam();
};

TEST_P(Layout, IsFound) {
  const mpi::Session session(MPI_COMM_WORLD, {}, std::nullopt);
  const mpi::node::Nodes nodes(session);
  // By their first ranks.
  std::vector<int> order;
  for (const int node : layout_)
    if (std::find(order.begin(), order.end(), node) == order.end()) order.push_back(node);
  ASSERT_EQ(nodes.count(), static_cast<int>(order.size()));

  bool consecutive = true;
  std::size_t least = layout_.size();
  for (int node = 0; node < nodes.count(); ++node) {
    std::vector<int> members;
    for (int r = 0; r < size(); ++r)
      if (node_of(r) == order[static_cast<std::size_t>(node)]) members.push_back(r);
    EXPECT_EQ(nodes.members(node), members);
    for (std::size_t i = 0; i < members.size(); ++i) {
      EXPECT_EQ(nodes.node_of(members[i]), node);
      EXPECT_EQ(nodes.index_of(members[i]), static_cast<int>(i));
    }
    least = std::min(least, members.size());
    consecutive =
        consecutive && members.back() - members.front() + 1 == static_cast<int>(members.size());
  }
  EXPECT_EQ(nodes.leaders(), static_cast<int>(least));
  EXPECT_EQ(nodes.consecutive(), consecutive);
  EXPECT_EQ(nodes.own(), nodes.node_of(rank()));

  int within = -1;
  MPI_Comm_rank(nodes.within(), &within);
  EXPECT_EQ(within, nodes.index_of(rank()));
  const bool leads = nodes.count() > 1 && within < nodes.leaders();
  ASSERT_EQ(nodes.across() != MPI_COMM_NULL, leads);
  if (!leads) return;
  int across = -1;
  MPI_Comm_rank(nodes.across(), &across);
  EXPECT_EQ(across, nodes.own());
}

/// Elements that tell their rank and place.
std::vector<int> numbers_of(int rank, std::size_t count) {
  std::vector<int> numbers(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = rank * 1000 + static_cast<int>(i % 1000);
  return numbers;
}

std::vector<int> total(int size, std::size_t count) {
  std::vector<int> sums(count);
  for (int r = 0; r < size; ++r) {
    const auto theirs = numbers_of(r, count);
    for (std::size_t i = 0; i < count; ++i) sums[i] += theirs[i];
  }
  return sums;
}

TEST_P(Layout, GivesTheSameResults) {
  const Communicator comm(MPI_COMM_WORLD);
  const auto n = static_cast<std::size_t>(size());
  for (const std::size_t count : {1U, 7U, 2000U, 50021U}) {
    const auto own = numbers_of(rank(), count);
    const auto sums = total(size(), count);
    std::vector<int> out(count);
    comm.all_reduce(own, out, sum);
    EXPECT_EQ(out, sums);
    std::vector<int> gathered(n * count), all;
    for (int r = 0; r < size(); ++r) {
      const auto theirs = numbers_of(r, count);
      all.insert(all.end(), theirs.begin(), theirs.end());
    }
    comm.all_gather(own, gathered);
    EXPECT_EQ(gathered, all);
    std::vector<double> means(own.begin(), own.end());
    comm.all_reduce(means, avg);
    EXPECT_EQ(means[0], sums[0] / static_cast<double>(n));
    for (int root = 0; root < size(); ++root) {
      std::vector<int> reduced(count, -1), data = own;
      comm.reduce(own, reduced, sum, root);
      EXPECT_EQ(reduced, rank() == root ? sums : std::vector<int>(count, -1)) << root;
      comm.broadcast(data, root);
      EXPECT_EQ(data, numbers_of(root, count)) << root;
    }
    comm.barrier();
  }
  const std::set<int> nodes(layout_.begin(), layout_.end());
  std::vector<int> data(1);
  const bool in_two_levels = comm.choose(all_reduce(data, sum)).algorithm ==
                             "shared memory within nodes, MPI between them";
  EXPECT_EQ(in_two_levels, nodes.size() > 1 && nodes.size() < n);
}

/// Few and many bytes, and what does not divide.
constexpr std::size_t all_counts[] = {1, 7, 250, 12007};

std::vector<int> part_of(const std::vector<int>& all, std::size_t begin, std::size_t count) {
  const auto first = all.begin() + static_cast<std::ptrdiff_t>(begin);
  return std::vector<int>(first, first + static_cast<std::ptrdiff_t>(count));
}

TEST_P(Layout, ScansInRankOrder) {
  const Communicator comm(MPI_COMM_WORLD);
  for (const std::size_t count : all_counts) {
    const auto own = numbers_of(rank(), count);
    std::vector<int> out(count, -1), in_place = own;
    comm.scan(own, out, sum);
    EXPECT_EQ(out, total(rank() + 1, count));
    comm.scan(in_place, in_place, sum);
    EXPECT_EQ(in_place, out);
    out.assign(count, -1);
    in_place = own;
    comm.exclusive_scan(own, out, sum);
    EXPECT_EQ(out, rank() == 0 ? std::vector<int>(count, -1) : total(rank(), count));
    comm.exclusive_scan(in_place, in_place, sum);
    EXPECT_EQ(in_place, rank() == 0 ? own : out);
    std::vector<std::uint64_t> bits(count, std::uint64_t{1} << rank());
    comm.scan(bits, bits, bitwise_xor);
    EXPECT_EQ(bits.back(), (std::uint64_t{2} << rank()) - 1);
  }
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

TEST_P(Layout, GathersAndScattersBlocks) {
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

TEST_P(Layout, ReducesIntoBlocks) {
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

TEST_P(Layout, ExchangesBlocks) {
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

// Equal on all ranks, and told with its reason.
TEST_P(Layout, TellsWhatIsLeftToMpi) {
  const Communicator comm(MPI_COMM_WORLD);
  comm.barrier();
  const mpi::Session session(MPI_COMM_WORLD, {}, std::nullopt);
  const mpi::node::Nodes nodes(session);
  if (nodes.count() == 1 || nodes.count() == size()) return;
  const auto n = static_cast<std::size_t>(size());
  std::vector<int> some(10), all(10 * n), longer(1000 * n), other(1000 * n);
  std::vector<bfloat16> small(10);
  const auto reason = [&](const Operation& op) { return comm.choose(op).reason; };
  EXPECT_EQ(reason(scatter(all, some, 0)), "");
  EXPECT_EQ(reason(gather(some, all, 0)), "");
  EXPECT_EQ(reason(reduce_scatter(all, some)), "");
  EXPECT_TRUE(has(reason(all_reduce(small)), "order is promised"));
  EXPECT_TRUE(has(reason(all_to_all(longer, other)), "long blocks"));
  EXPECT_TRUE(has(reason(all_reduce(some).within(std::chrono::seconds(9))), "has a deadline"));
  for (const Operation& op : {all_gather(some, all), scan(some, some), exclusive_scan(some, some)})
    EXPECT_EQ(has(reason(op), "do not follow one another"), !nodes.consecutive());
}

INSTANTIATE_TEST_SUITE_P(Of, Layout, testing::ValuesIn(all_layouts),
                         [](const auto& of) { return name_of(of.param); });

/// Options::node_size: so many ranks that follow one another, and what is left.
TEST(PretendedNodes, AreCutInOrder) {
  for (const std::size_t node_size : {1U, 2U, 3U, 100U}) {
    Options options;
    options.node_size = node_size;
    const mpi::Session session(MPI_COMM_WORLD, options, std::nullopt);
    const mpi::node::Nodes nodes(session);
    const auto n = static_cast<std::size_t>(size());
    ASSERT_EQ(nodes.count(), static_cast<int>((n + node_size - 1) / node_size));
    for (int r = 0; r < size(); ++r) {
      EXPECT_EQ(nodes.node_of(r), r / static_cast<int>(node_size));
      EXPECT_EQ(nodes.index_of(r), r % static_cast<int>(node_size));
    }
    EXPECT_TRUE(nodes.consecutive());
    const std::size_t rest = n % node_size;
    EXPECT_EQ(nodes.leaders(), static_cast<int>(rest == 0 ? node_size : rest));
  }
}

}  // namespace
}  // namespace tutti::test
