// Which way an operation goes: at which size, and the same on all ranks whatever differs among
// them.
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "core/check.hpp"
#include "mpi/builder.hpp"
#include "mpi/elements_of.hpp"
#include "support/world.hpp"

namespace tutti::test {
namespace {

using Kind = ReduceOp::Kind;
using mpi::Algorithm;
using mpi::Phases;

class Algorithms : public testing::Test {
 protected:
  static Options changed(bool deterministic, std::size_t max_count = 0x7fffffff) {
    Options options;
    options.deterministic = deterministic;
    options.max_count = max_count;
    return options;
  }

  // The algorithm that this rank would take; a test failure unless all ranks take it.
  static Algorithm chosen(const mpi::Session& session, const Operation& operation,
                          Phases phases = Phases::any) {
    const Algorithm mine = algorithm_for(resolve(operation, rank(), size()), session, phases);
    EXPECT_TRUE(same_on_all_ranks(static_cast<std::uint64_t>(mine))) << describe(operation);
    return mine;
  }

  std::size_t ranks() const { return static_cast<std::size_t>(size()); }

  mpi::Session plain_{MPI_COMM_WORLD, Options{}, std::nullopt};
  mpi::Session deterministic_{MPI_COMM_WORLD, changed(true), std::nullopt};
};

TEST_F(Algorithms, OneRankAloneMovesNothing) {
  if (size() != 1) GTEST_SKIP() << "of one rank";
  for (const std::size_t count : {1U, 100000U}) {
    EXPECT_EQ(chosen(plain_, all_reduce(Elements(DataType::float16, count), sum)), Algorithm::none);
    EXPECT_EQ(chosen(plain_, broadcast(Elements(DataType::byte, count), 0)), Algorithm::none);
  }
  EXPECT_EQ(chosen(plain_, send(Elements(DataType::byte, 1), 0)), Algorithm::messages);
}

TEST_F(Algorithms, MpiReducesWhatFitsTheTypeAtEverySize) {
  if (size() == 1) GTEST_SKIP() << "takes several ranks";
  for (const std::size_t count : {1U, 100000U}) {
    for (const auto& [type, op] : {std::pair(DataType::float32, sum),
                                   {DataType::int8, prod},
                                   {DataType::boolean, max},
                                   {DataType::float64, avg}})
      EXPECT_EQ(chosen(plain_, all_reduce(Elements(type, count), op)), Algorithm::collective)
          << to_string(type);
    EXPECT_EQ(chosen(plain_, reduce(Elements(DataType::int32, count), min, size() - 1)),
              Algorithm::collective);
  }
}

// 65536 bytes of all ranks together: with three ranks and two bytes that is 10922 elements.
TEST_F(Algorithms, OtherReductionsAreGatheredUpTo64KiB) {
  if (size() != 3) GTEST_SKIP() << "numbers of three ranks";
  const auto algorithm = [&](std::size_t count, Phases phases) {
    return chosen(plain_, all_reduce(Elements(DataType::float16, count), sum), phases);
  };
  EXPECT_EQ(algorithm(1, Phases::any), Algorithm::gather_fold);
  EXPECT_EQ(algorithm(10922, Phases::any), Algorithm::gather_fold);
  EXPECT_EQ(algorithm(10923, Phases::any), Algorithm::slice_fold);
  EXPECT_EQ(algorithm(10923, Phases::one), Algorithm::gather_fold) << "slices take two exchanges";
  // The same for a wide mean, where 5461 elements of four bytes fit.
  EXPECT_EQ(chosen(plain_, all_reduce(Elements(DataType::int32, 5461), avg)),
            Algorithm::gather_fold);
  EXPECT_EQ(chosen(plain_, all_reduce(Elements(DataType::int32, 5462), avg)),
            Algorithm::slice_fold);
  EXPECT_EQ(chosen(plain_, all_reduce(Elements(DataType::float32, 1), pre_multiplied(2.F))),
            Algorithm::gather_fold);
}

TEST_F(Algorithms, DeterministicFoldsWhereGroupingShows) {
  if (size() == 1) GTEST_SKIP() << "takes several ranks";
  const auto algorithm = [&](DataType type, const ReduceOp& op) {
    return chosen(deterministic_, all_reduce(Elements(type, 8), op));
  };
  EXPECT_EQ(algorithm(DataType::float32, sum), Algorithm::gather_fold);
  EXPECT_EQ(algorithm(DataType::complex128, prod), Algorithm::gather_fold);
  EXPECT_EQ(algorithm(DataType::float64, avg), Algorithm::gather_fold);
  EXPECT_EQ(algorithm(DataType::float32, max), Algorithm::collective);
  EXPECT_EQ(algorithm(DataType::uint64, prod), Algorithm::collective);
}

TEST_F(Algorithms, ScansFoldWhereMpiWouldLeaveElementsRaw) {
  if (size() == 1) GTEST_SKIP() << "takes several ranks";
  EXPECT_EQ(chosen(plain_, scan(Elements(DataType::int32, 4), Elements(DataType::int32, 4), sum)),
            Algorithm::collective);
  EXPECT_EQ(
      chosen(plain_, scan(Elements(DataType::int32, 4), Elements(DataType::int32, 4), logical_or)),
      Algorithm::gather_fold);
  const Elements in(DataType::boolean, 4), out(DataType::boolean, 4);
  EXPECT_EQ(chosen(plain_, exclusive_scan(in, out, sum)), Algorithm::gather_fold);
  EXPECT_EQ(chosen(plain_, all_reduce(in, out, sum)), Algorithm::collective);
  EXPECT_EQ(chosen(plain_, all_reduce(Elements(DataType::int32, 4), logical_or)),
            Algorithm::collective);
}

TEST_F(Algorithms, WhatMpiCannotCountGoesByMessages) {
  if (size() != 3) GTEST_SKIP() << "numbers of three ranks";
  const mpi::Session cut(MPI_COMM_WORLD, changed(false, 30), std::nullopt);
  const auto bytes = [&](std::size_t count) { return Elements(DataType::byte, count); };
  EXPECT_EQ(chosen(cut, all_gather(bytes(10), bytes(30))), Algorithm::collective);
  EXPECT_EQ(chosen(cut, all_gather(bytes(11), bytes(33))), Algorithm::messages);
  EXPECT_EQ(chosen(cut, gather(bytes(10), bytes(30), 1)), Algorithm::collective);
  EXPECT_EQ(chosen(cut, gather(bytes(11), bytes(33), 1)), Algorithm::messages);
  EXPECT_EQ(chosen(cut, scatter(bytes(33), bytes(11), 1)), Algorithm::messages);
  EXPECT_EQ(chosen(cut, all_to_all(bytes(30), bytes(30))), Algorithm::collective);
  EXPECT_EQ(chosen(cut, all_to_all(bytes(33), bytes(33))), Algorithm::messages);
  EXPECT_EQ(chosen(cut, broadcast(bytes(100), 0)), Algorithm::collective) << "cut into pieces";
  EXPECT_EQ(chosen(cut, reduce_scatter(Elements(DataType::int8, 30), Elements(DataType::int8, 10))),
            Algorithm::collective);
  EXPECT_EQ(chosen(cut, reduce_scatter(Elements(DataType::int8, 33), Elements(DataType::int8, 11))),
            Algorithm::slice_fold);
}

// Memory that only a root has, blocks of which each rank knows its own, in place on some ranks
// only: nothing that one rank alone knows may decide.
TEST_F(Algorithms, RanksThatDifferTakeTheSameWay) {
  const std::size_t n = ranks();
  const std::size_t own = static_cast<std::size_t>(rank()) + 1, total = n * (n + 1) / 2;
  std::vector<std::size_t> counts(n);
  for (std::size_t r = 0; r < n; ++r) counts[r] = r + 1;
  const std::vector<std::size_t> triple(n, 3);
  const auto some = [&](std::size_t count) { return Elements(DataType::int32, count); };
  const bool odd = rank() % 2 != 0;
  for (const std::size_t max_count : {std::size_t{3}, std::size_t{7}, std::size_t{0x7fffffff}}) {
    const mpi::Session session(MPI_COMM_WORLD, changed(false, max_count), std::nullopt);
    for (const Phases phases : {Phases::any, Phases::one}) {
      const Elements data = some(20), aside = some(20);
      chosen(session, odd ? all_reduce(data, sum) : all_reduce(data, aside, sum), phases);
      chosen(session, odd ? all_reduce(data, avg) : all_reduce(data, aside, avg), phases);
      for (int root = 0; root < size(); ++root) {
        const Elements all = rank() == root ? some(total) : Elements();
        const Blocks blocks = rank() == root ? Blocks(counts) : Blocks();
        chosen(session, gather(some(own), all, root, blocks), phases);
        chosen(session, scatter(all, some(own), root, blocks), phases);
        const Elements fives = rank() == root ? some(5 * n) : Elements();
        chosen(session, gather(some(5), fives, root), phases);
        chosen(session, scatter(fives, some(5), root), phases);
      }
      chosen(session, all_gather(some(own), some(total), Blocks(counts)), phases);
      chosen(session, reduce_scatter(some(total), some(own), sum, Blocks(counts)), phases);
      chosen(session, all_to_all(some(3 * n), Blocks(triple), some(3 * n), Blocks(triple)), phases);
    }
  }
}

TEST_F(Algorithms, EachHasWordsOfItsOwn) {
  for (int a = 0; a < 5; ++a)
    for (int b = 0; b < a; ++b)
      EXPECT_NE(to_string(static_cast<Algorithm>(a)), to_string(static_cast<Algorithm>(b)));
}

}  // namespace
}  // namespace tutti::test
