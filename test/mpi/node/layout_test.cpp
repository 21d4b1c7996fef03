// Nodes of odd layouts: MPI is made to say which ranks share memory.
#include "mpi/node/layout.hpp"

#include <algorithm>
#include <chrono>
#include <set>

#include "mpi/node/nodes.hpp"
#include "mpi/session.hpp"
#include "support/communicators.hpp"

namespace tutti::test {
namespace {

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
