#include "mpi/node/caches.hpp"

#include <gtest/gtest.h>

namespace tutti::test {
namespace {

TEST(Caches, AreSharedByTheRanks) {
  const std::size_t alone = mpi::node::cache_bytes_for_each(1);
  EXPECT_GE(alone, std::size_t{1} << 18) << "no last-level cache is that small";
  EXPECT_LE(alone, std::size_t{1} << 32);
  std::size_t before = alone;
  for (const int ranks : {2, 3, 4, 64, 512}) {
    const std::size_t each = mpi::node::cache_bytes_for_each(ranks);
    EXPECT_LE(each, before) << ranks;
    EXPECT_GE(each, alone / static_cast<std::size_t>(ranks)) << ranks;
    before = each;
  }
}

}  // namespace
}  // namespace tutti::test
