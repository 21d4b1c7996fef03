// Operations that move equal blocks: every type, every count, every root.
#include "conformance/fixture.hpp"

namespace tutti::test {
namespace {

class Movement : public Conformance {};
TUTTI_ON_EVERY_BACKEND(Movement);

TEST_P(Movement, BroadcastGivesRootsElements) {
  for_each_movement([&](DataType type, std::size_t count, int root) {
    Area data = area_of(type, noise(type, rank(), count));
    const Operation operation = broadcast(data.receive(), root);
    if (!serves(operation)) return;
    run({operation});
    EXPECT_TRUE(data.holds(0, noise(type, root, count)));
  });
}

TEST_P(Movement, AllGatherGivesAllBlocksInRankOrder) {
  for_each_movement([&](DataType type, std::size_t count, int) {
    const std::vector<Bytes> blocks = noises(type, count);
    Area in = area_of(type, blocks[self()]);
    Area out = area(type, count * ranks(), 3);
    const Operation operation = all_gather(in.send(), out.receive());
    if (!serves(operation)) return;
    run({operation});
    EXPECT_TRUE(out.holds(0, joined(blocks)));
    EXPECT_TRUE(in.is_unchanged());
  });
}

TEST_P(Movement, GatherGivesRootAllBlocks) {
  for_each_movement([&](DataType type, std::size_t count, int root) {
    const std::vector<Bytes> blocks = noises(type, count);
    Area in = area_of(type, blocks[self()]);
    // Other ranks give memory too, which must stay as it is.
    Area out = area(type, count * ranks(), 2);
    const Operation operation = gather(in.send(), out.receive(), root);
    if (!serves(operation)) return;
    run({operation});
    EXPECT_TRUE(rank() == root ? out.holds(0, joined(blocks)) : out.is_unchanged());
    EXPECT_TRUE(in.is_unchanged());
  });
}

TEST_P(Movement, ScatterGivesEachRankItsBlock) {
  for_each_movement([&](DataType type, std::size_t count, int root) {
    const Bytes all = noise(type, root, count * ranks());
    Area in = area_of(type, rank() == root ? all : Bytes{});
    Area out = area(type, count, 2);
    const Operation operation =
        scatter(rank() == root ? in.send() : SendView{}, out.receive(), root);
    if (!serves(operation)) return;
    run({operation});
    EXPECT_TRUE(out.holds(0, slice(type, all, self() * count, count)));
    EXPECT_TRUE(in.is_unchanged());
  });
}

TEST_P(Movement, AllToAllTransposesBlocks) {
  for_each_movement([&](DataType type, std::size_t count, int) {
    const std::vector<Bytes> rows = noises(type, count * ranks());
    Area in = area_of(type, rows[self()]);
    Area out = area(type, count * ranks(), 3);
    const Operation operation = all_to_all(in.send(), out.receive());
    if (!serves(operation)) return;
    run({operation});
    Bytes expected;
    for (std::size_t r = 0; r < ranks(); ++r) {
      const Bytes block = slice(type, rows[r], self() * count, count);
      expected.insert(expected.end(), block.begin(), block.end());
    }
    EXPECT_TRUE(out.holds(0, expected));
    EXPECT_TRUE(in.is_unchanged());
  });
}

TEST_P(Movement, MemoryThatDoesNotMatterMayBeAbsent) {
  const int root = size() - 1;
  const std::vector<Bytes> blocks = noises(DataType::int32, 4);
  Area in = area_of(DataType::int32, blocks[self()]);
  Area out = area(DataType::int32, 4 * ranks());
  const Operation operation =
      gather(in.send(), rank() == root ? out.receive() : ReceiveView{}, root);
  if (!serves(operation)) return;
  run({operation});
  if (rank() == root) {
    EXPECT_TRUE(out.holds(0, joined(blocks)));
  }
}

// Null pointers with count 0 are no error and are not looked at (cases 43, 91).
TEST_P(Movement, NothingAtAllSucceedsForEveryOperation) {
  const auto in = nothing<SendView>(DataType::float32);
  const auto out = nothing<ReceiveView>(DataType::float32);
  const std::vector<std::size_t> none(ranks(), 0);
  const std::vector<Operation> operations = {
      all_reduce(in, out),
      reduce(in, out, sum, 0),
      broadcast(out, size() - 1),
      all_gather(in, out),
      reduce_scatter(in, out),
      gather(in, out, 0),
      scatter(in, out, size() - 1),
      all_to_all(in, out),
      scan(in, out),
      exclusive_scan(in, out),
      all_gather(in, out, Blocks(none)),
      reduce_scatter(in, out, sum, Blocks(none)),
      gather(in, out, 0, Blocks(none)),
      scatter(in, out, 0, Blocks(none)),
      all_to_all(in, Blocks(none), out, Blocks(none)),
      send_recv(in, (rank() + 1) % size(), out, (rank() + size() - 1) % size())};
  for (const Operation& operation : operations)
    if (serves(operation)) run({operation});
  Area data = area_of(DataType::int32, pattern(DataType::int32, Kind::sum, rank(), 3));
  run({all_reduce(data.receive(), sum)});
  EXPECT_TRUE(
      data.holds(0, reduced(DataType::int32, Kind::sum, patterns(DataType::int32, Kind::sum, 3))));
}

}  // namespace
}  // namespace tutti::test
