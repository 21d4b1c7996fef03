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

}  // namespace
}  // namespace tutti::test
