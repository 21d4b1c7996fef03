// Operations that reduce: every cell of the table once, every operation with a choice of cells.
#include "conformance/fixture.hpp"

namespace tutti::test {
namespace {

class Reduction : public Conformance {};
TUTTI_ON_EVERY_BACKEND(Reduction);

class Cells : public Conformance {};
TUTTI_ON_EVERY_BACKEND(Cells);

TEST_P(Cells, EveryDefinedReductionOfEveryTypeIsRight) {
  constexpr std::size_t count = 11;
  for (const DataType type : all_data_types) {
    for (const Kind kind : all_reduce_kinds) {
      if (kind == Kind::user || !defined(kind, type)) continue;
      SCOPED_TRACE(std::string(to_string(kind)) + " of " + std::string(to_string(type)));
      const std::vector<Bytes> inputs = patterns(type, kind, count);
      Area in = area_of(type, inputs[self()]);
      Area out = area(type, count, 3);
      const Operation operation = all_reduce(in.send(), out.receive(), reduce_op(kind, type));
      if (!serves(operation)) continue;
      run({operation});
      EXPECT_TRUE(out.holds(0, reduced(type, kind, inputs)));
      EXPECT_TRUE(in.is_unchanged());
    }
  }
}

// Refused by the library, before MPI or NCCL sees it, and nothing is the worse for it (case 63).
TEST_P(Cells, EveryUndefinedReductionIsTheSameClearErrorEverywhere) {
  for (const DataType type : all_data_types) {
    for (const Kind kind : all_reduce_kinds) {
      if (kind == Kind::user || defined(kind, type)) continue;
      SCOPED_TRACE(std::string(to_string(kind)) + " of " + std::string(to_string(type)));
      Area data = area_of(type, noise(type, rank(), 3));
      const Failure failure =
          failure_of([&] { run({all_reduce(data.receive(), reduce_op(kind, type))}); });
      ASSERT_TRUE(failure.thrown);
      EXPECT_TRUE(failure.code == Errc::invalid_argument || failure.code == Errc::unsupported);
      EXPECT_NE(failure.text.find(to_string(kind)), std::string::npos) << failure.text;
      EXPECT_NE(failure.text.find(to_string(type)), std::string::npos) << failure.text;
      EXPECT_NE(failure.text.find("all_reduce"), std::string::npos) << failure.text;
      EXPECT_TRUE(data.is_unchanged());
    }
  }
  Area data = area_of(DataType::int32, pattern(DataType::int32, Kind::sum, rank(), 3));
  run({all_reduce(data.receive(), sum)});
  EXPECT_TRUE(
      data.holds(0, reduced(DataType::int32, Kind::sum, patterns(DataType::int32, Kind::sum, 3))));
}

TEST_P(Reduction, AllReduce) {
  for_each_reduction([&](DataType type, Kind kind, std::size_t count, int) {
    const std::vector<Bytes> inputs = patterns(type, kind, count);
    Area in = area_of(type, inputs[self()]);
    Area out = area(type, count, 3);
    const Operation operation = all_reduce(in.send(), out.receive(), reduce_op(kind, type));
    if (!serves(operation)) return;
    run({operation});
    EXPECT_TRUE(out.holds(0, reduced(type, kind, inputs)));
    EXPECT_TRUE(in.is_unchanged());
  });
}

TEST_P(Reduction, ReduceGivesRootAlone) {
  for_each_reduction([&](DataType type, Kind kind, std::size_t count, int root) {
    const std::vector<Bytes> inputs = patterns(type, kind, count);
    Area in = area_of(type, inputs[self()]);
    Area out = area(type, count, 3);
    const Operation operation = reduce(in.send(), out.receive(), reduce_op(kind, type), root);
    if (!serves(operation)) return;
    run({operation});
    EXPECT_TRUE(rank() == root ? out.holds(0, reduced(type, kind, inputs)) : out.is_unchanged());
    EXPECT_TRUE(in.is_unchanged());
  });
}

TEST_P(Reduction, ReduceScatterGivesEachRankItsBlock) {
  for_each_reduction([&](DataType type, Kind kind, std::size_t count, int) {
    const std::vector<Bytes> inputs = patterns(type, kind, count * ranks());
    Area in = area_of(type, inputs[self()]);
    Area out = area(type, count, 3);
    const Operation operation = reduce_scatter(in.send(), out.receive(), reduce_op(kind, type));
    if (!serves(operation)) return;
    run({operation});
    EXPECT_TRUE(out.holds(0, slice(type, reduced(type, kind, inputs), self() * count, count)));
    EXPECT_TRUE(in.is_unchanged());
  });
}

TEST_P(Reduction, ScanCoversRanksUpToThisOne) {
  for_each_reduction([&](DataType type, Kind kind, std::size_t count, int) {
    if (kind == Kind::avg) return;
    std::vector<Bytes> inputs = patterns(type, kind, count);
    Area in = area_of(type, inputs[self()]);
    Area out = area(type, count, 3);
    const Operation operation = scan(in.send(), out.receive(), reduce_op(kind, type));
    if (!serves(operation)) return;
    run({operation});
    inputs.resize(self() + 1);
    EXPECT_TRUE(out.holds(0, reduced(type, kind, inputs)));
    EXPECT_TRUE(in.is_unchanged());
  });
}

// A bool's byte comes from the application, which may have left anything there; results are 0 or 1,
// also where a rank gets what nobody combined.
TEST_P(Reduction, ABoolOfAnyBitsIsStoredAsOne) {
  const Bytes raw{std::byte{0}, std::byte{1}, std::byte{2}, std::byte{255}};
  const Bytes clean{std::byte{0}, std::byte{1}, std::byte{1}, std::byte{1}};
  for (const Kind kind : {Kind::sum, Kind::min, Kind::bitwise_or}) {
    Area in = area_of(DataType::boolean, raw);
    for (const bool scans : {false, true}) {
      Area out = area(DataType::boolean, 4, 3);
      const Operation operation = scans ? scan(in.send(), out.receive(), ReduceOp(kind))
                                        : all_reduce(in.send(), out.receive(), ReduceOp(kind));
      if (!serves(operation)) continue;
      run({operation});
      EXPECT_TRUE(out.holds(0, clean)) << describe(operation);
    }
  }
}

TEST_P(Reduction, ExclusiveScanCoversRanksBeforeThisOne) {
  for_each_reduction([&](DataType type, Kind kind, std::size_t count, int) {
    if (kind == Kind::avg) return;
    std::vector<Bytes> inputs = patterns(type, kind, count);
    Area in = area_of(type, inputs[self()]);
    Area out = area(type, count, 3);
    const Operation operation = exclusive_scan(in.send(), out.receive(), reduce_op(kind, type));
    if (!serves(operation)) return;
    run({operation});
    inputs.resize(self());
    EXPECT_TRUE(rank() == 0 ? out.is_unchanged() : out.holds(0, reduced(type, kind, inputs)));
    EXPECT_TRUE(in.is_unchanged());
  });
}

}  // namespace
}  // namespace tutti::test
