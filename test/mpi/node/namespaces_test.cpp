// On two real nodes with two ranks each, which namespaces_test.sh makes.
#include <unistd.h>

#include <numeric>

#include "support/communicators.hpp"

namespace tutti::test {
namespace {

using RealNodes = OnWorld;

TEST_F(RealNodes, AreTwo) {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  EXPECT_STREQ(name, rank() < 2 ? "tutti-here" : "tutti-there");
  EXPECT_EQ(world_.node_size(), 2);
  EXPECT_EQ(world_.node_rank(), rank() % 2);
  std::vector<float> data(100);
  world_.barrier();
  EXPECT_EQ(world_.choose(all_reduce(data, sum)).algorithm,
            "shared memory within nodes, MPI between them");
}

TEST_F(RealNodes, GiveTheSameResults) {
  for (const std::size_t count : {1U, 1000U, 300000U}) {
    const std::vector<int> own(count, rank() + 1);
    std::vector<int> sums(count), all(4 * count), wanted;
    world_.all_reduce(own, sums, sum);
    EXPECT_EQ(sums, std::vector<int>(count, 10));
    world_.all_gather(own, all);
    for (int r = 0; r < 4; ++r) wanted.insert(wanted.end(), count, r + 1);
    EXPECT_EQ(all, wanted);
    for (int root = 0; root < 4; ++root) {
      std::vector<int> data(count);
      std::iota(data.begin(), data.end(), rank());
      world_.broadcast(data, root);
      std::vector<int> of_root(count);
      std::iota(of_root.begin(), of_root.end(), root);
      EXPECT_EQ(data, of_root) << root;
    }
  }
}

TEST_F(RealNodes, MoveAndReduceBlocks) {
  for (const std::size_t count : {1U, 200U, 1000U, 300000U}) {
    std::vector<int> wanted, from(4 * count), to(from.size()), block(count);
    for (int r = 0; r < 4; ++r) wanted.insert(wanted.end(), count, r + 1);
    const std::vector<int> own(count, rank() + 1);
    for (int root = 0; root < 4; ++root) {
      std::fill(to.begin(), to.end(), 0);
      world_.gather(own, to, root);
      EXPECT_EQ(to, rank() == root ? wanted : std::vector<int>(4 * count));
      world_.scatter(wanted, block, root);
      EXPECT_EQ(block, own);
    }
    for (std::size_t i = 0; i < from.size(); ++i)
      from[i] = 10 * (rank() + 1) + static_cast<int>(i / count);
    world_.all_to_all(from, to);
    for (std::size_t i = 0; i < to.size(); ++i)
      ASSERT_EQ(to[i], 10 * (static_cast<int>(i / count) + 1) + rank());
    world_.reduce_scatter(from, block, sum);
    EXPECT_EQ(block, std::vector<int>(count, 100 + 4 * rank()));
    world_.scan(own, block, sum);
    EXPECT_EQ(block, std::vector<int>(count, (rank() + 1) * (rank() + 2) / 2));
  }
}

}  // namespace
}  // namespace tutti::test
