// Nodes of odd layouts: MPI is made to say which ranks share memory.
#include <algorithm>
#include <set>

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
