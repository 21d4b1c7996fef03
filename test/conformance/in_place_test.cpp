// Every form of working in place: one range, equal pointers, and the own block at its own position.
// Nothing outside the result changes.
#include "conformance/fixture.hpp"

namespace tutti::test {
namespace {

class InPlace : public Conformance {
 protected:
  static constexpr DataType type = DataType::int32;

  // Runs it for each count and each of two ways to say the same.
  void for_each_way(const std::function<void(std::size_t count, bool one_range)>& call) {
    for (const std::size_t count : counts())
      if (count != 8 && count != 50) call(count, count % 2 == 1);
    call(5, false);
  }
  /// What an all_to_all of these rows leaves here.
  Bytes own_blocks(const std::vector<Bytes>& rows, std::size_t count) const {
    Bytes blocks;
    for (const Bytes& row : rows) {
      const Bytes block = slice(type, row, self() * count, count);
      blocks.insert(blocks.end(), block.begin(), block.end());
    }
    return blocks;
  }
};
TUTTI_ON_EVERY_BACKEND(InPlace);

TEST_P(InPlace, AllReduce) {
  for_each_way([&](std::size_t count, bool one_range) {
    const std::vector<Bytes> inputs = patterns(type, Kind::sum, count);
    Area data = area_of(type, inputs[self()]);
    const Operation operation =
        one_range ? all_reduce(data.receive(), sum) : all_reduce(data.send(), data.receive(), sum);
    if (!serves(operation)) return;
    run({operation});
    EXPECT_TRUE(data.holds(0, reduced(type, Kind::sum, inputs)));
  });
}

TEST_P(InPlace, ReduceLeavesOtherRanksDataAlone) {
  const int root = size() - 1;
  for_each_way([&](std::size_t count, bool one_range) {
    const std::vector<Bytes> inputs = patterns(type, Kind::sum, count);
    Area data = area_of(type, inputs[self()]);
    const Operation operation = one_range ? reduce(data.receive(), sum, root)
                                          : reduce(data.send(), data.receive(), sum, root);
    if (!serves(operation)) return;
    run({operation});
    EXPECT_TRUE(rank() == root ? data.holds(0, reduced(type, Kind::sum, inputs))
                               : data.is_unchanged());
  });
}

TEST_P(InPlace, AllGatherOwnBlockAtItsPosition) {
  for_each_way([&](std::size_t count, bool one_range) {
    const std::vector<Bytes> blocks = noises(type, count);
    Area data = area(type, count * ranks());
    data.put(self() * count, blocks[self()]);
    const Operation operation = one_range
                                    ? all_gather(data.receive())
                                    : all_gather(data.send(self() * count, count), data.receive());
    if (!serves(operation)) return;
    run({operation});
    EXPECT_TRUE(data.holds(0, joined(blocks)));
  });
}

TEST_P(InPlace, ReduceScatterKeepsTheRestOfTheData) {
  for_each_way([&](std::size_t count, bool one_range) {
    const std::vector<Bytes> inputs = patterns(type, Kind::sum, count * ranks());
    Area data = area_of(type, inputs[self()]);
    const Operation operation =
        one_range ? reduce_scatter(data.receive(), sum)
                  : reduce_scatter(data.send(), data.receive(self() * count, count), sum);
    if (!serves(operation)) return;
    run({operation});
    const Bytes all = reduced(type, Kind::sum, inputs);
    EXPECT_TRUE(data.holds(self() * count, slice(type, all, self() * count, count)));
  });
}

TEST_P(InPlace, GatherAtRoot) {
  for_each_way([&](std::size_t count, bool) {
    const int root = static_cast<int>(count) % size();
    const std::vector<Bytes> blocks = noises(type, count);
    Area data = area(type, count * ranks());
    data.put(self() * count, blocks[self()]);
    const SendView own = data.send(self() * count, count);
    const Operation operation =
        rank() == root ? gather(own, data.receive(), root) : gather(own, {}, root);
    if (!serves(operation)) return;
    run({operation});
    EXPECT_TRUE(rank() == root ? data.holds(0, joined(blocks)) : data.is_unchanged());
  });
}

TEST_P(InPlace, ScatterAtRoot) {
  for_each_way([&](std::size_t count, bool) {
    const int root = static_cast<int>(count) % size();
    const Bytes all = noise(type, root, count * ranks());
    Area data = area(type, count * ranks());
    if (rank() == root) data.put(0, all);
    const ReceiveView own = data.receive(self() * count, count);
    const Operation operation =
        rank() == root ? scatter(data.send(), own, root) : scatter({}, own, root);
    if (!serves(operation)) return;
    run({operation});
    EXPECT_TRUE(data.holds(self() * count, slice(type, all, self() * count, count)));
  });
}

TEST_P(InPlace, AllToAll) {
  for_each_way([&](std::size_t count, bool) {
    const std::vector<Bytes> rows = noises(type, count * ranks());
    Area data = area_of(type, rows[self()]);
    const Operation operation = all_to_all(data.send(), data.receive());
    if (!serves(operation)) return;
    run({operation});
    EXPECT_TRUE(data.holds(0, own_blocks(rows, count)));
  });
}

// Whether a rank works in place is its own business. MPI libraries go other ways for long arrays.
TEST_P(InPlace, AllReduceOnSomeRanksAlone) {
  for (const std::size_t count : {std::size_t{3}, std::size_t{30'001}}) {
    const std::vector<Bytes> inputs = patterns(type, Kind::sum, count);
    const bool here = rank() % 2 == 0;
    Area data = area_of(type, inputs[self()]);
    Area apart = area(type, count);
    Area& result = here ? data : apart;
    const Operation operation = all_reduce(data.send(), result.receive(), sum);
    if (!serves(operation)) continue;
    const Bytes expected = reduced(type, Kind::sum, inputs);
    run({operation});
    EXPECT_TRUE(result.holds(0, expected));
    if (here) data.put(0, inputs[self()]);
    const Prepared prepared = prepare({operation});
    prepared.task->start();
    EXPECT_TRUE(prepared.task->wait(Deadline{}));
    EXPECT_TRUE(result.holds(0, expected)) << "started";
  }
}

TEST_P(InPlace, AllToAllOnSomeRanksAlone) {
  for_each_way([&](std::size_t count, bool on_odd_ranks) {
    const std::vector<Bytes> rows = noises(type, count * ranks());
    const bool here = (rank() % 2 == 1) == on_odd_ranks;
    Area data = area_of(type, rows[self()]);
    Area apart = area(type, count * ranks());
    Area& result = here ? data : apart;
    const Operation operation = all_to_all(data.send(), result.receive());
    if (!serves(operation)) return;
    run({operation});
    EXPECT_TRUE(result.holds(0, own_blocks(rows, count)));
  });
}

TEST_P(InPlace, Scans) {
  for_each_way([&](std::size_t count, bool) {
    std::vector<Bytes> inputs = patterns(type, Kind::sum, count);
    Area data = area_of(type, inputs[self()]);
    Area exclusive = area_of(type, inputs[self()]);
    const Operation operation = scan(data.send(), data.receive(), sum);
    if (!serves(operation)) return;
    run({operation});
    run({exclusive_scan(exclusive.send(), exclusive.receive(), sum)});
    inputs.resize(self() + 1);
    EXPECT_TRUE(data.holds(0, reduced(type, Kind::sum, inputs)));
    inputs.resize(self());
    EXPECT_TRUE(rank() == 0 ? exclusive.is_unchanged()
                            : exclusive.holds(0, reduced(type, Kind::sum, inputs)));
  });
}

TEST_P(InPlace, UnevenBlocksWithGaps) {
  std::vector<std::size_t> counts, offsets;
  std::size_t extent = 2;
  for (std::size_t r = 0; r < ranks(); ++r) {
    counts.push_back(r % 3 + 1);
    offsets.push_back(extent);
    extent += counts.back() + 2;
  }
  const Blocks blocks(counts, offsets);
  const std::vector<Bytes> inputs = patterns(type, Kind::sum, extent);
  Area gathered = area(type, extent);
  gathered.put(offsets[self()], slice(type, inputs[self()], 0, counts[self()]));
  Area scattered = area_of(type, inputs[self()]);
  const Operation operation =
      all_gather(gathered.send(offsets[self()], counts[self()]), gathered.receive(), blocks);
  if (!serves(operation)) return;
  run({operation});
  run({reduce_scatter(scattered.send(), scattered.receive(offsets[self()], counts[self()]), sum,
                      blocks)});
  for (std::size_t r = 0; r < ranks(); ++r)
    gathered.expect(offsets[r], slice(type, inputs[r], 0, counts[r]));
  EXPECT_TRUE(gathered.is_unchanged());
  const Bytes all = reduced(type, Kind::sum, inputs);
  EXPECT_TRUE(scattered.holds(offsets[self()], slice(type, all, offsets[self()], counts[self()])));
}

// Case 48: one element beside the rank's own position is an overlap, refused on every rank.
TEST_P(InPlace, AnyOtherOverlapIsRefused) {
  if (size() < 2) return;
  constexpr std::size_t count = 4;
  Area data = area(type, count * (ranks() + 1));
  const SendView shifted = data.send(self() * count + 1, count);
  const Operation operations[] = {
      all_gather(shifted, data.receive(0, count * ranks())),
      all_reduce(data.send(0, count), data.receive(1, count)),
      reduce_scatter(data.send(0, count * ranks()), data.receive(self() * count + 1, count)),
      all_to_all(data.send(0, count * ranks()), data.receive(1, count * ranks())),
      scan(data.send(0, count), data.receive(2, count))};
  for (const Operation& operation : operations) {
    const Failure failure = failure_of([&] { run({operation}); });
    ASSERT_TRUE(failure.thrown) << describe(operation);
    EXPECT_EQ(failure.code, Errc::invalid_argument) << failure.text;
    EXPECT_NE(failure.text.find("overlap"), std::string::npos) << failure.text;
    EXPECT_TRUE(data.is_unchanged());
  }
}

}  // namespace
}  // namespace tutti::test
