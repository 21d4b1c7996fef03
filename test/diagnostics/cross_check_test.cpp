// What ranks are about to do, compared before anything moves: one line for each way they differ.
#include "diagnostics/cross_check.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <thread>
#include <vector>

#include "core/check.hpp"
#include "support/world.hpp"

namespace tutti::test {
namespace {

using namespace std::chrono_literals;

class CrossCheck : public testing::Test {
 protected:
  struct Call {
    Operation operation;
    Occasion occasion{};
    Deadline deadline{};
    std::optional<Error> refusal{};
  };

  void SetUp() override {
    if (size() < 2) GTEST_SKIP() << "takes two ranks to differ";
  }

  static bool odd() { return rank() == size() - 1; }

  // The lines of the error below its first, on every rank alike.
  std::vector<std::string> differences(const Call& call) {
    const Failure failure = agreed_failure_of([&] { check(call); });
    EXPECT_EQ(failure.code, Errc::mismatch) << failure.text;
    std::vector<std::string> lines;
    const std::string end = " (rank ";
    const std::string text = failure.text.substr(0, failure.text.find(end));
    for (std::size_t at = text.find("\n  "); at != std::string::npos;) {
      const std::size_t next = text.find("\n  ", at + 1);
      lines.push_back(text.substr(at + 3, next == std::string::npos ? next : next - at - 3));
      at = next;
    }
    return lines;
  }

  void check(const Call& call) {
    cross_check(session_, resolve(call.operation, rank(), size()), call.occasion, call.refusal,
                call.deadline);
  }

  // "FIELD: most on ranks 0-1; odd on rank 2", or "rank 0" where there are two.
  static std::string line(const std::string& field, const std::string& most,
                          const std::string& other) {
    const std::string last = std::to_string(size() - 1);
    const std::string others = size() == 2   ? "rank 0"
                               : size() == 3 ? "ranks 0-1"
                                             : "ranks 0-" + std::to_string(size() - 2);
    return field + ": " + most + " on " + others + "; " + other + " on rank " + last;
  }

  void expect_one_difference(const Call& call, const std::string& field, const std::string& most,
                             const std::string& other) {
    EXPECT_EQ(differences(call), std::vector<std::string>{line(field, most, other)});
  }

  mpi::Session session_{MPI_COMM_WORLD, Options{}, std::nullopt};
  std::vector<int> four_ = std::vector<int>(4), three_ = std::vector<int>(3);
  std::vector<float> floats_ = std::vector<float>(4);
};

TEST_F(CrossCheck, EqualCallsPass) {
  for (std::uint64_t i = 0; i < 3; ++i) {
    check({all_reduce(four_, sum), {i, 1, Verb::run}});
    check({broadcast(floats_, size() - 1), {i, 2, Verb::start}, Deadline::in(1min)});
    check({barrier(), {i, 1, Verb::plan}});
  }
}

TEST_F(CrossCheck, EachFieldHasALineOfItsOwn) {
  expect_one_difference({all_reduce(odd() ? three_ : four_, sum)}, "count", "4", "3");
  expect_one_difference({all_reduce(four_, odd() ? min : max)}, "reduction", "max", "min");
  expect_one_difference({broadcast(four_, odd() ? 1 : 0)}, "root", "0", "1");
  expect_one_difference({odd() ? all_reduce(floats_, sum) : all_reduce(four_, sum)}, "type",
                        "int32", "float32");
  expect_one_difference({all_reduce(four_, pre_multiplied(odd() ? 3 : 2))}, "scalar", "2", "3");
  expect_one_difference({barrier(), {odd() ? 8U : 7U, 1, Verb::run}}, "sequence number", "7", "8");
  expect_one_difference({barrier(), {7, odd() ? 3U : 1U, Verb::run}}, "operations in the group",
                        "1", "3");
  expect_one_difference({barrier(), {7, 1, odd() ? Verb::start : Verb::run}}, "verb", "run",
                        "start");
  expect_one_difference({barrier(), {}, odd() ? Deadline::in(1min) : Deadline()}, "deadline", "no",
                        "yes");
}

TEST_F(CrossCheck, TellsEveryDifference) {
  const auto lines = differences({odd() ? broadcast(floats_, 0) : all_reduce(four_, sum)});
  EXPECT_EQ(lines,
            (std::vector<std::string>{
                line("operation", "all_reduce", "broadcast"), line("type", "int32", "float32"),
                line("reduction", "sum", "none"), line("root", "none", "0")}));
}

TEST_F(CrossCheck, UnevenIsNotEven) {
  const std::vector<std::size_t> counts(static_cast<std::size_t>(size()), 2);
  std::vector<int> two(2), all(2 * counts.size());
  const auto lines =
      differences({odd() ? all_gather(two, all, Blocks(counts)) : all_gather(two, all)});
  EXPECT_EQ(lines, (std::vector<std::string>{line("count", "2", "none"),
                                             line("uneven blocks", "no", "yes")}));
}

TEST_F(CrossCheck, GroupsOfRanksAreWrittenShort) {
  if (size() < 3) GTEST_SKIP() << "takes three ranks";
  const bool middle = rank() == 1;
  const std::vector<std::string> expected = {
      size() == 3 ? "count: 4 on ranks 0, 2; 3 on rank 1"
                  : "count: 4 on ranks 0, 2-" + std::to_string(size() - 1) + "; 3 on rank 1"};
  EXPECT_EQ(differences({all_reduce(middle ? three_ : four_, sum)}), expected);
}

TEST_F(CrossCheck, OneRankThatRefusesIsNamedOnAll) {
  std::optional<Error> refusal;
  if (odd()) refusal.emplace(Errc::unsupported, "not here");
  const Failure failure = agreed_failure_of([&] { check({barrier(), {}, {}, refusal}); });
  EXPECT_EQ(failure.code, Errc::unsupported);
  EXPECT_NE(failure.text.find("rank " + std::to_string(size() - 1) + ": not here"),
            std::string::npos)
      << failure.text;
}

// Rank 0's time runs out before the others come. What they do then completes the exchange that rank
// 0 began and left, so that MPI writes its result late: into memory that is still the exchange's
// own.
TEST_F(CrossCheck, AfterADeadlineMpiWritesIntoNobodysMemory) {
  if (rank() == 0) {
    const Failure failure = failure_of([&] { check({barrier(), {}, Deadline::in(50ms)}); });
    EXPECT_EQ(failure.code, Errc::timeout) << failure.text;
  }
  // Of the sizes around that of the exchange: the allocator hands out first what was freed last.
  std::vector<std::vector<unsigned char>> others;
  for (std::size_t bytes = 64; bytes <= 2048; bytes += 8)
    for (int i = 0; i < 3; ++i) others.emplace_back(bytes, static_cast<unsigned char>(0xee));
  meet();
  if (rank() != 0) check({barrier(), {}, Deadline::in(20s)});
  meet();
  for (int i = 0; i < 10; ++i) static_cast<void>(same_on_all_ranks(1));  // MPI makes progress
  for (const auto& other : others)
    EXPECT_TRUE(std::all_of(other.begin(), other.end(), [](unsigned char b) { return b == 0xee; }))
        << other.size() << " bytes were written to";
}

}  // namespace
}  // namespace tutti::test
