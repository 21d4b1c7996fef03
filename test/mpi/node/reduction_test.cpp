// Reductions between the ranks of a node, which are threads here, against a serial fold in rank
// order.
#include "mpi/node/reduction.hpp"

#include <atomic>

#include "mpi/node/thread_team.hpp"
#include "support/reference.hpp"

namespace tutti::test {
namespace {

using namespace mpi::node;
using Kind = OperationKind;

constexpr std::size_t sizes_reduced[] = {8, 48, 56, 8192, 8200, 32768, 32776, 150008};

struct Case {
  DataType type;
  ReduceOp::Kind op;
};
// One that wraps, one whose order shows, one that rounds once at the end, one that divides.
constexpr Case all_cases[] = {{DataType::int32, ReduceOp::Kind::sum},
                              {DataType::float64, ReduceOp::Kind::max},
                              {DataType::bfloat16, ReduceOp::Kind::sum},
                              {DataType::int64, ReduceOp::Kind::avg}};

/// Arrays of all ranks and what they give, worked out once for all operations.
struct Job {
  Job(const Case& of, int size, std::size_t array_bytes)
      : type(of.type),
        op(reduce_op(of.op, of.type)),
        element(element_size(of.type)),
        bytes(array_bytes),
        count(array_bytes / element) {
    for (int r = 0; r < size; ++r) {
      inputs.push_back(pattern(of.type, of.op, r, count));
      prefixes.push_back(reduced(of.type, of.op, inputs));
    }
  }
  const Bytes& input(int rank) const { return inputs[static_cast<std::size_t>(rank)]; }
  Arithmetic arithmetic() const { return {op, type, element}; }

  DataType type;
  ReduceOp op;
  std::size_t element, bytes, count;
  std::vector<Bytes> inputs;
  std::vector<Bytes> prefixes;  ///< of the first 1, 2, ... arrays
};

std::vector<Job> jobs_of(int size) {
  std::vector<Job> jobs;
  for (const Case& of : all_cases)
    for (const std::size_t bytes : sizes_reduced) jobs.emplace_back(of, size, bytes);
  return jobs;
}

/// What `kind` gives rank `rank`; what was there before where it gives nothing.
const Bytes& wanted(Kind kind, const Job& job, int rank, int root, const Bytes& before) {
  if (kind == Kind::reduce && rank != root) return before;
  if (kind == Kind::exclusive_scan && rank == 0) return before;
  if (kind == Kind::exclusive_scan) return job.prefixes[static_cast<std::size_t>(rank) - 1];
  return kind == Kind::scan ? job.prefixes[static_cast<std::size_t>(rank)] : job.prefixes.back();
}

class Reduction : public testing::TestWithParam<int> {
 protected:
  int size() const { return GetParam(); }

  void check_all(Way way) {
    const std::vector<Job> jobs = jobs_of(size());
    team_.run([&](Team& team) {
      for (const Job& job : jobs) {
        enter(team, job.bytes << 8 | static_cast<Signature>(job.type));
        check(team, way, Kind::all_reduce, job, 0);
        if (job.op.kind() != ReduceOp::Kind::avg)  // has no scan
          for (const Kind kind : {Kind::scan, Kind::exclusive_scan}) check(team, way, kind, job, 0);
        for (int root = 0; root < size(); ++root) check(team, way, Kind::reduce, job, root);
      }
    });
  }

  static void check(Team& team, Way way, Kind kind, const Job& job, int root) {
    const Bytes& in = job.input(team.rank());
    for (const bool in_place : {false, true}) {
      Bytes out = in_place ? in : Bytes(in.size(), std::byte{1});
      const Bytes before = out;
      reduce(team, way, kind, job.arithmetic(), in_place ? out.data() : in.data(), out.data(),
             job.count, root);
      EXPECT_TRUE(out == wanted(kind, job, team.rank(), root, before))
          << to_string(kind) << ", " << to_string(way) << ", " << to_string(job.type) << ", "
          << job.bytes << " bytes, rank " << team.rank() << " of " << team.size() << ", root "
          << root << (in_place ? ", in place" : "");
    }
  }

  ThreadTeam team_{GetParam()};
};

TEST_P(Reduction, OfWholeArrays) {
  check_all(Way::whole);
}

TEST_P(Reduction, OfSlices) {
  check_all(Way::sliced);
}

/// Rank 0 has none, each rank one more than the one before; the last has what is left.
std::vector<std::size_t> uneven_counts(int size, std::size_t count) {
  std::vector<std::size_t> counts;
  for (int r = 0; r + 1 < size; ++r) counts.push_back(count / 8 * static_cast<std::size_t>(r));
  counts.push_back(count - std::accumulate(counts.begin(), counts.end(), std::size_t{0}));
  return counts;
}

TEST_P(Reduction, Scattered) {
  const std::vector<Job> jobs = jobs_of(size());
  team_.run([&](Team& team) {
    for (const Job& job : jobs) {
      enter(team, job.bytes << 8 | static_cast<Signature>(job.type));
      const std::size_t equal = job.count / team.n();
      for (const auto& counts :
           {std::vector<std::size_t>(team.n(), equal), uneven_counts(size(), job.count)}) {
        const Blocks blocks(counts);
        const ByteBlocks layout{BlockLayout(blocks), job.element};
        const std::byte* const expected = job.prefixes.back().data() + layout.offset(team.rank());
        const std::size_t length = layout.bytes(team.rank());
        Bytes out(length);
        Bytes data = job.input(team.rank());
        std::byte* const place = data.data() + layout.offset(team.rank());
        reduce_scatter(team, job.arithmetic(), data.data(), out.data(), layout);
        EXPECT_TRUE(std::equal(out.begin(), out.end(), expected))
            << to_string(job.type) << ", " << job.bytes << " bytes, rank " << team.rank();
        reduce_scatter(team, job.arithmetic(), data.data(), place, layout);
        EXPECT_TRUE(std::equal(place, place + length, expected))
            << to_string(job.type) << ", " << job.bytes << " bytes in place, rank " << team.rank();
      }
    }
  });
}

INSTANTIATE_TEST_SUITE_P(In, Reduction, testing::Values(1, 2, 3, 4),
                         [](const auto& of) { return "TeamOf" + std::to_string(of.param); });

// The second rank writes nothing that the first one would have to wait for.
TEST(Reductions, AnExclusiveScanOfTwoHoldsUpNoFirstRank) {
  ThreadTeam pair(2);
  std::atomic<bool> gone{false};
  pair.run([&](Team& team) {
    const Arithmetic arithmetic{sum, DataType::int32, sizeof(std::int32_t)};
    std::int32_t in = 41 + team.rank(), out = -1;
    if (team.rank() == 1)
      while (!gone) std::this_thread::yield();
    enter(team, 1);
    mpi::node::reduce(team, Way::whole, Kind::exclusive_scan, arithmetic,
                      reinterpret_cast<const std::byte*>(&in), reinterpret_cast<std::byte*>(&out),
                      1, 0);
    gone = true;
    EXPECT_EQ(out, team.rank() == 0 ? -1 : 41);
  });
}

}  // namespace
}  // namespace tutti::test
