// Messages between nodes: all under way together, cut as MPI counts, copies behind them.
#include "mpi/node/messages.hpp"

#include <algorithm>
#include <numeric>

#include "support/communicators.hpp"

namespace tutti::test {
namespace {

using mpi::node::Messages;

Options counting_to(std::size_t most) {
  Options options;
  options.max_count = most;
  return options;
}

class NodeMessages : public testing::TestWithParam<std::size_t> {
 protected:
  int next() const { return (rank() + 1) % size(); }
  int previous() const { return (rank() + size() - 1) % size(); }
  static std::vector<int> numbers_of(int rank, std::size_t count) {
    std::vector<int> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 1000 * rank);
    return numbers;
  }
  static const std::byte* bytes(const std::vector<int>& data) {
    return reinterpret_cast<const std::byte*>(data.data());
  }
  static std::byte* bytes(std::vector<int>& data) {
    return reinterpret_cast<std::byte*>(data.data());
  }

  mpi::Session session_{MPI_COMM_WORLD, counting_to(GetParam()), std::nullopt};
  Messages messages_{session_};
};

TEST_P(NodeMessages, AreWholeWhateverMpiCounts) {
  for (const std::size_t count : {0U, 1U, 7U, 8U, 1000U}) {
    const std::vector<int> own = numbers_of(rank(), count);
    std::vector<int> theirs(count);
    messages_.clear();
    messages_.open(sizeof(int));
    messages_.receive(bytes(theirs), count, previous());
    messages_.send(bytes(own), count, next());
    messages_.start();
    messages_.finish();
    EXPECT_EQ(theirs, numbers_of(previous(), count));
    EXPECT_NO_THROW(messages_.finish()) << "there is nothing left";
  }
}

TEST_P(NodeMessages, CopiesWaitForAllOfThem) {
  const std::vector<int> own = numbers_of(rank(), 50);
  std::vector<int> first(50), second(50);
  for (int turn = 0; turn < 2; ++turn) {
    messages_.clear();
    messages_.open(sizeof(int));
    std::byte* const there = messages_.scratch(50 * sizeof(int));
    messages_.receive(there, 50, previous());
    messages_.copy_at_last(there, bytes(first), 50);
    messages_.receive(bytes(second), 50, next());
    messages_.send(bytes(own), 50, next());
    messages_.send(bytes(own), 50, previous());
    messages_.start();
    messages_.finish();
    EXPECT_EQ(first, numbers_of(previous(), 50));
    EXPECT_EQ(second, numbers_of(next(), 50));
    std::fill(first.begin(), first.end(), 0);
  }
}

TEST_P(NodeMessages, AShorterOneIsAMismatch) {
  const std::vector<int> own = numbers_of(rank(), 4);
  std::vector<int> theirs(5);
  messages_.open(sizeof(int));
  messages_.receive(bytes(theirs), 5, previous());
  messages_.send(bytes(own), 4, next());
  messages_.start();
  const Failure failure = failure_of([&] { messages_.finish(); });
  EXPECT_EQ(failure.code, Errc::mismatch);
  EXPECT_TRUE(has(failure.text, "4 elements where 5")) << failure.text;
}

INSTANTIATE_TEST_SUITE_P(Of, NodeMessages, testing::Values(std::size_t{7}, std::size_t{1} << 30),
                         [](const auto& of) { return of.param == 7 ? "Sevens" : "Whole"; });

}  // namespace
}  // namespace tutti::test
