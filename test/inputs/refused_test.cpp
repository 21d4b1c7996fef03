// Arguments that one rank can see to be wrong: one clear error before anything moves, naming the
// operation, the rank, the value and the rule; the communicator is none the worse.
#include <unistd.h>

#include <array>
#include <span>

#include "support/communicators.hpp"

namespace tutti::test {
namespace {

class Refused : public OnWorld {
 protected:
  void expect_refused(const Operation& operation, const std::vector<std::string>& words) {
    SCOPED_TRACE(describe(operation));
    const Failure failure = failure_of([&] { world_.run(operation); });
    ASSERT_TRUE(failure.thrown);
    EXPECT_EQ(failure.code, Errc::invalid_argument) << failure.text;
    for (const std::string& word : words) EXPECT_TRUE(has(failure.text, word));
    EXPECT_TRUE(has(failure.text, std::string(to_string(operation.kind))));
    EXPECT_TRUE(has(failure.text, "rank " + std::to_string(rank())));
    // The other ways in refuse alike.
    EXPECT_TRUE(failure_of([&] { (void)world_.start(operation); }).thrown);
    EXPECT_TRUE(failure_of([&] { (void)world_.plan(operation); }).thrown);
    EXPECT_TRUE(failure_of([&] { world_.run({barrier(), operation}); }).thrown);
  }

  std::vector<int> a_ = std::vector<int>(12);
  std::vector<int> b_ = std::vector<int>(12);
};

TEST_F(Refused, RootsPeersAndTagsOutOfRange) {
  const std::string n = std::to_string(size());
  expect_refused(broadcast(a_, size()), {"root", n});
  expect_refused(broadcast(a_, -1), {"root", "-1"});
  expect_refused(tutti::reduce(a_, b_, sum, size() + 3), {"root", std::to_string(size() + 3)});
  expect_refused(gather(a_, b_, -7), {"root", "-7"});
  expect_refused(scatter(a_, b_, 1000), {"root", "1000"});
  expect_refused(send(a_, size()), {n});
  expect_refused(recv(a_, -1), {"-1"});
  expect_refused(send_recv(a_, 0, b_, size()), {n});
  expect_refused(send(a_, 0, -5), {"tag", "-5"});
  expect_refused(recv(a_, 0, 0x7fffffff), {"tag", "2147483647"});
  expect_works(world_);
}

TEST_F(Refused, CountsThatDoNotFitOneAnother) {
  std::vector<int> short_by_one(11);
  expect_refused(all_reduce(a_, short_by_one, sum), {"12", "11"});
  expect_refused(tutti::reduce(a_, short_by_one, sum, rank()), {"12", "11"});
  expect_refused(tutti::scan(a_, short_by_one, sum), {"12", "11"});
  expect_refused(tutti::exclusive_scan(short_by_one, a_, sum), {"12", "11"});
  expect_refused(all_gather(a_, short_by_one), {"12", "11"});
  expect_refused(reduce_scatter(a_, short_by_one, sum), {"12", "11"});
  expect_refused(all_to_all(a_, short_by_one), {"12", "11"});
  expect_refused(gather(a_, short_by_one, rank()), {"12", "11"});
  expect_refused(scatter(a_, short_by_one, rank()), {"12", "11"});
  expect_works(world_);
}

// Case 69.
TEST_F(Refused, TotalsThatDoNotDivide) {
  if (size() < 2) return;
  const std::size_t total = 3 * ranks() + 1;
  std::vector<int> in(total), out(3), whole(total);
  const std::string t = std::to_string(total), n = std::to_string(size());
  expect_refused(reduce_scatter(in, out, sum), {t, n});
  expect_refused(reduce_scatter(in, sum), {t, n});
  expect_refused(all_to_all(in, whole), {t, n});
  expect_refused(all_gather(in), {t, n});
  expect_refused(scatter(in, out, rank()), {t, n});
  expect_works(world_);
}

TEST_F(Refused, TypesThatDiffer) {
  std::vector<float> floats(12);
  expect_refused(all_reduce(a_, floats, sum), {"int32", "float32"});
  expect_refused(tutti::scan(floats, a_, sum), {"int32", "float32"});
  expect_works(world_);
}

TEST_F(Refused, NullPointersWithACount) {
  ReceiveView null;
  null.count = 4;
  null.type = DataType::int32;
  null.given = true;
  SendView from;
  from.count = 4;
  from.type = DataType::int32;
  from.given = true;
  expect_refused(all_reduce(null, sum), {"null", "4"});
  expect_refused(broadcast(null, 0), {"null", "4"});
  expect_refused(send(from, 0), {"null", "4"});
  expect_works(world_);
}

TEST_F(Refused, MemoryThatIsNotGivenWhereItMatters) {
  expect_refused(gather(a_, {}, rank()), {});
  expect_refused(all_gather(a_, {}), {});
  expect_refused(all_reduce({}, a_, sum), {});
  expect_refused(scatter({}, a_, rank()), {});
  expect_works(world_);
}

// Case 72: aligned as its type is enough; less is refused, for UBSan and for hardware's sake.
TEST_F(Refused, MemoryThatIsNotAligned) {
  alignas(64) std::array<std::byte, 256> bytes{};
  ReceiveView view;
  view.data = bytes.data() + 4;
  view.count = 3;
  view.type = DataType::float64;
  view.given = true;
  expect_refused(all_reduce(view, sum), {"8"});
  view.data = bytes.data() + 1;
  view.type = DataType::float16;
  expect_refused(all_reduce(view, sum), {"2"});
  view.data = bytes.data() + 8;
  view.type = DataType::complex128;
  world_.all_reduce(view, sum);
  view.data = bytes.data() + 2;
  view.type = DataType::bfloat16;
  world_.all_reduce(view, sum);
}

TEST_F(Refused, OverlapOfSendAndReceive) {
  const std::span<int> all(a_);
  expect_refused(all_reduce(all.first(6), all.subspan(3, 6), sum), {"overlap"});
  expect_refused(send_recv(all.first(6), rank(), all.subspan(5, 6), rank()), {"overlap"});
}

TEST_F(Refused, TheErrorNamesTheHost) {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  expect_refused(broadcast(a_, size()), {host.data(), "of " + std::to_string(size())});
}

TEST_F(Refused, TheErrorObjectHoldsTheSame) {
  try {
    world_.broadcast(a_, size());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::invalid_argument);
    EXPECT_EQ(error.rank(), rank());
    EXPECT_EQ(error.size(), size());
    EXPECT_TRUE(has(error.operation(), "broadcast"));
    EXPECT_TRUE(has(error.cause(), "root"));
  }
}

TEST_F(Refused, AveragesHaveNoScan) {
  const Failure failure = failure_of([&] { world_.scan(a_, b_, avg); });
  ASSERT_TRUE(failure.thrown);
  EXPECT_TRUE(has(failure.text, "avg"));
  expect_works(world_);
}

}  // namespace
}  // namespace tutti::test
