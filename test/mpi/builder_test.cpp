// The schedules of all ranks belong together: what one sends another receives, in the same order,
// and all enter the same collectives. By hand for three ranks, and for every operation by
// comparison.
#include "mpi/builder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>

#include "core/check.hpp"
#include "mpi/elements_of.hpp"
#include "support/world.hpp"

namespace tutti::test {
namespace {

using mpi::Phases;
using mpi::Schedule;
using mpi::Step;
using mpi::StepKind;

// What other ranks must know of a step.
using Shape = std::array<int, 4>;  // kind, peer, count, tag
using Shapes = std::vector<Shape>;

std::vector<Shapes> of_all_ranks(const Shapes& mine) {
  int length = static_cast<int>(mine.size() * 4);
  std::vector<int> lengths(static_cast<std::size_t>(size())), begins(lengths.size());
  MPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, MPI_COMM_WORLD);
  int total = 0;
  for (std::size_t r = 0; r < lengths.size(); ++r) {
    begins[r] = total;
    total += lengths[r];
  }
  std::vector<Shape> flat(static_cast<std::size_t>(total) / 4 + 1);
  MPI_Allgatherv(mine.data(), length, MPI_INT, flat.data(), lengths.data(), begins.data(), MPI_INT,
                 MPI_COMM_WORLD);
  std::vector<Shapes> result;
  for (std::size_t r = 0; r < lengths.size(); ++r) {
    const auto first = flat.begin() + begins[r] / 4;
    result.emplace_back(first, first + lengths[r] / 4);
  }
  return result;
}

Shapes filtered(const Shapes& all, StepKind kind, int peer) {
  Shapes result;
  for (const Shape& s : all)
    if (s[0] == static_cast<int>(kind) && s[1] == peer) result.push_back({0, 0, s[2], s[3]});
  return result;
}

class Builders : public testing::Test {
 protected:
  static Options options(bool deterministic, std::size_t max_count) {
    Options result;
    result.deterministic = deterministic;
    result.max_count = max_count;
    return result;
  }

  const Schedule& built(mpi::Session& session, const Operation& operation, Phases phases) {
    schedule_.clear();
    resolved_ = resolve(operation, rank(), size());
    mpi::Builder(resolved_, session, schedule_, phases).build();
    return schedule_;
  }

  static void expect_sound(const Schedule& schedule, std::size_t max_count) {
    for (const Step& step : schedule.steps) {
      EXPECT_LE(static_cast<std::size_t>(step.count), max_count);
      EXPECT_GE(step.count, 0);
      if (step.kind != StepKind::fold) continue;
      for (std::size_t i = step.first; i < step.first + step.arrays; ++i)
        EXPECT_NE(schedule.arrays[i], nullptr);
      const auto begin = schedule.outs.begin() + static_cast<std::ptrdiff_t>(step.first);
      const auto end = begin + static_cast<std::ptrdiff_t>(step.arrays);
      EXPECT_TRUE(std::any_of(begin, end, [](void* out) { return out != nullptr; }));
    }
  }

  // Collective.
  static void expect_match(const Schedule& schedule) {
    Shapes messages, collectives;
    for (const Step& s : schedule.steps) {
      const Shape shape{static_cast<int>(s.kind), s.peer, s.count, s.tag};
      if (is_message(s.kind)) {
        messages.push_back(shape);
      } else if (!is_local(s.kind)) {
        collectives.push_back(shape);
        // Of uneven blocks each rank gives its own count.
        if (s.kind == StepKind::all_gather_uneven || s.kind == StepKind::reduce_scatter_uneven)
          collectives.back()[2] = -1;
      }
    }
    const std::vector<Shapes> all = of_all_ranks(messages);
    for (int from = 0; from < size(); ++from)
      for (int to = 0; to < size(); ++to)
        EXPECT_EQ(filtered(all[static_cast<std::size_t>(from)], StepKind::send, to),
                  filtered(all[static_cast<std::size_t>(to)], StepKind::receive, from))
            << "from " << from << " to " << to;
    for (const Shapes& theirs : of_all_ranks(collectives)) EXPECT_EQ(theirs, collectives);
  }

  void expect_all_match(mpi::Session& session, const Operation& operation) {
    for (const Phases phases : {Phases::any, Phases::one}) {
      SCOPED_TRACE(describe(operation) + (phases == Phases::one ? ", started" : ", run"));
      const Schedule& schedule = built(session, operation, phases);
      expect_sound(schedule, session.options().max_count);
      expect_match(schedule);
    }
  }

  void for_each_session(const std::function<void(mpi::Session&)>& call) {
    for (const std::size_t max_count : {std::size_t{7}, std::size_t{0x7fffffff}}) {
      for (const bool deterministic : {false, true}) {
        SCOPED_TRACE("max_count " + std::to_string(max_count) +
                     (deterministic ? ", deterministic" : ""));
        mpi::Session session(MPI_COMM_WORLD, options(deterministic, max_count), std::nullopt);
        call(session);
      }
    }
  }

  std::size_t n() const { return static_cast<std::size_t>(size()); }

  Schedule schedule_;
  Operation resolved_;
};

TEST_F(Builders, ReductionsOfAllRanksMatch) {
  for_each_session([&](mpi::Session& session) {
    for (const auto& [type, op] : {std::pair(DataType::float32, sum),
                                   {DataType::float16, prod},
                                   {DataType::int16, avg},
                                   {DataType::uint8, logical_xor}}) {
      for (const std::size_t count : {0U, 1U, 2U, 11U}) {
        const Elements in = Elements(type, count), out = Elements(type, count);
        const Elements blocks = Elements(type, count * n());
        expect_all_match(session, all_reduce(in, out, op));
        for (int root = 0; root < size(); ++root) {
          expect_all_match(session, reduce(in, out, op, root));
          expect_all_match(session, reduce(in, op, root));
        }
        expect_all_match(session, reduce_scatter(blocks, out, op));
        expect_all_match(session, reduce_scatter(blocks, op));
        if (op.kind() == ReduceOp::Kind::avg) continue;
        expect_all_match(session, scan(in, out, op));
        expect_all_match(session, exclusive_scan(in, out, op));
      }
    }
  });
}

TEST_F(Builders, LongReductionsOfAllRanksMatch) {
  mpi::Session session(MPI_COMM_WORLD, Options{}, std::nullopt);
  // Two segments of 4 MiB and a rest that does not divide.
  const Elements in = Elements(DataType::float16, (std::size_t{1} << 22) + 5);
  const Elements out = Elements(DataType::float16, (std::size_t{1} << 22) + 5);
  expect_all_match(session, all_reduce(in, out, sum));
  expect_all_match(session, reduce(in, out, sum, size() - 1));
  expect_all_match(session, exclusive_scan(in, out, sum));
}

TEST_F(Builders, MovementOfAllRanksMatches) {
  for_each_session([&](mpi::Session& session) {
    for (const std::size_t count : {0U, 1U, 2U, 8U}) {
      const Elements one = Elements(DataType::int64, count),
                     all = Elements(DataType::int64, count * n());
      const Elements more = Elements(DataType::int64, count * n());
      expect_all_match(session, all_gather(one, all));
      expect_all_match(session, all_gather(all));
      expect_all_match(session, all_to_all(all, more));
      expect_all_match(session, all_to_all(all, all));
      for (int root = 0; root < size(); ++root) {
        expect_all_match(session, broadcast(one, root));
        expect_all_match(session, gather(one, all, root));
        expect_all_match(session, scatter(all, one, root));
      }
      const int next = (rank() + 1) % size(), before = (rank() + size() - 1) % size();
      expect_all_match(session, send_recv(one, next, Elements(DataType::int64, count), before, 3));
    }
    expect_all_match(session, barrier());
  });
}

TEST_F(Builders, UnevenBlocksOfAllRanksMatch) {
  // 0, 5, 10, ... elements; rank r sends rank s what s expects of r.
  std::vector<std::size_t> counts(n()), sent(n()), received(n());
  std::size_t total = 0;
  for (std::size_t r = 0; r < n(); ++r) {
    counts[r] = 5 * r;
    total += counts[r];
    sent[r] = static_cast<std::size_t>(rank()) + 2 * r;
    received[r] = r + 2 * static_cast<std::size_t>(rank());
  }
  const std::size_t mine = counts[static_cast<std::size_t>(rank())];
  const auto sum_of = [](const std::vector<std::size_t>& v) {
    std::size_t s = 0;
    for (const std::size_t x : v) s += x;
    return s;
  };
  for_each_session([&](mpi::Session& session) {
    const Elements one = Elements(DataType::float16, mine),
                   all = Elements(DataType::float16, total);
    expect_all_match(session, all_gather(one, all, Blocks(counts)));
    expect_all_match(session, reduce_scatter(all, one, sum, Blocks(counts)));
    expect_all_match(session,
                     all_to_all(Elements(DataType::int8, sum_of(sent)), Blocks(sent),
                                Elements(DataType::int8, sum_of(received)), Blocks(received)));
    for (int root = 0; root < size(); ++root) {
      expect_all_match(session, gather(one, all, root, Blocks(counts)));
      expect_all_match(session, scatter(all, one, root, Blocks(counts)));
    }
  });
}

// By hand.
TEST_F(Builders, GatheredReductionsFoldAllRanksInOrder) {
  if (size() != 3) GTEST_SKIP() << "by hand for three ranks";
  mpi::Session session(MPI_COMM_WORLD, Options{}, std::nullopt);
  const Elements in = Elements(DataType::float16, 10), out = Elements(DataType::float16, 10);
  const Schedule& s = built(session, reduce(in, out, sum, 1), Phases::any);
  ASSERT_EQ(s.steps.size(), rank() == 1 ? 2U : 1U);
  EXPECT_EQ(s.steps[0].kind, StepKind::gather);
  EXPECT_EQ(s.steps[0].in, in.first());
  EXPECT_EQ(s.steps[0].count, 10);
  EXPECT_EQ(s.steps[0].peer, 1);
  if (rank() != 1) return;
  EXPECT_EQ(s.steps[1].kind, StepKind::fold);
  EXPECT_EQ(s.steps[1].length, 10U);
  const auto* const gathered = static_cast<const std::byte*>(s.steps[0].out);
  EXPECT_EQ(s.arrays, (std::vector<const void*>{gathered, gathered + 20, gathered + 40}));
  EXPECT_EQ(s.outs, (std::vector<void*>{nullptr, nullptr, out.first()}));
}

TEST_F(Builders, SlicesAreReducedInRankOrderWhereTheyBelong) {
  if (size() != 3) GTEST_SKIP() << "by hand for three ranks";
  mpi::Session session(MPI_COMM_WORLD, Options{}, std::nullopt);
  const Elements in = Elements(DataType::bfloat16, 20'000),
                 out = Elements(DataType::bfloat16, 20'000);
  const Schedule& s = built(session, all_reduce(in, out, sum), Phases::any);
  // 20000 = 6667 + 6667 + 6666.
  const std::size_t begin = 6667 * static_cast<std::size_t>(rank());
  const std::size_t length = rank() < 2 ? 6667 : 6666;
  const auto fold = std::find_if(s.steps.begin(), s.steps.end(),
                                 [](const Step& step) { return step.kind == StepKind::fold; });
  ASSERT_NE(fold, s.steps.end());
  EXPECT_EQ(fold - s.steps.begin(), 4) << "two receives, two sends";
  EXPECT_EQ(s.steps.size(), 9U) << "and two of each behind it";
  EXPECT_EQ(fold->length, length);
  ASSERT_EQ(s.arrays.size(), 3U);
  const auto* const own = in.first() + 2 * begin;
  EXPECT_EQ(s.arrays[static_cast<std::size_t>(rank())], own) << "its own slice lies in place";
  EXPECT_EQ(s.outs[2], out.first() + 2 * begin);
}

TEST_F(Builders, NothingToMoveIsNoStep) {
  mpi::Session session(MPI_COMM_WORLD, Options{}, std::nullopt);
  const Elements none = Elements(DataType::int32, 0);
  for (const Operation& op : {all_reduce(none, sum), broadcast(none, 0), all_gather(none),
                              reduce_scatter(none, sum), all_to_all(none, none), scan(none, none)})
    EXPECT_TRUE(built(session, op, Phases::any).steps.empty()) << describe(op);
  EXPECT_EQ(built(session, barrier(), Phases::any).steps.size(), 1U);
}

// What an operation cannot be told by its memory: a later one's messages are not an earlier one's.
TEST_F(Builders, EachOperationHasATagOfItsOwn) {
  if (size() < 3) GTEST_SKIP() << "3 x 2 elements fit into one call";
  mpi::Session session(MPI_COMM_WORLD, options(false, 7), std::nullopt);
  const Elements one = Elements(DataType::int8, 3);
  const auto tag = [&] {
    const Schedule& s =
        built(session, gather(one, Elements(DataType::int8, 3 * n()), 0), Phases::any);
    return s.steps.empty() ? 0 : s.steps.front().tag;
  };
  const int first = tag(), second = tag();
  EXPECT_NE(first, second);
  EXPECT_GT(first, session.largest_user_tag());
}

}  // namespace
}  // namespace tutti::test
