// Functions of the user's own: applied in rank order unless they commute (case 68).
#include "conformance/fixture.hpp"
#include "support/typed.hpp"

namespace tutti::test {
namespace {

// The affine map x -> a x + b modulo 2^16, packed into one uint32. Composition is associative and
// does not commute.
std::uint32_t pack(std::uint32_t a, std::uint32_t b) {
  return (a & 0xffffU) << 16 | (b & 0xffffU);
}

// First `left`, then `right`.
std::uint32_t compose(std::uint32_t left, std::uint32_t right) {
  const std::uint32_t a = left >> 16, b = left & 0xffffU, c = right >> 16, d = right & 0xffffU;
  return pack(a * c, b * c + d);
}

std::uint32_t map_of(int rank, std::size_t i) {
  const auto r = static_cast<std::uint32_t>(rank);
  return pack(3 + 2 * r + static_cast<std::uint32_t>(i) * 4,
              7 * r + 1 + static_cast<std::uint32_t>(i));
}

class UserFunction : public Conformance {
 protected:
  std::vector<std::uint32_t> mine(std::size_t count) const {
    std::vector<std::uint32_t> result;
    for (std::size_t i = 0; i < count; ++i) result.push_back(map_of(rank(), i));
    return result;
  }
  // Ranks 0 to last, in order.
  static Bytes composed(int last, std::size_t first, std::size_t count) {
    std::vector<std::uint32_t> result;
    for (std::size_t i = first; i < first + count; ++i) {
      std::uint32_t value = map_of(0, i);
      for (int r = 1; r <= last; ++r) value = compose(value, map_of(r, i));
      result.push_back(value);
    }
    return bytes_of(result);
  }
  UserReduction<std::uint32_t> maps_{compose};
};
TUTTI_ON_EVERY_BACKEND(UserFunction);

TEST_P(UserFunction, AllReduceAndReduceToEveryRootKeepTheOrder) {
  for (const std::size_t count : counts()) {
    if (count > 1000) continue;
    Area data = area_of(DataType::uint32, bytes_of(mine(count)));
    const Operation operation = all_reduce(data.receive(), maps_);
    if (!serves(operation)) return;
    run({operation});
    EXPECT_TRUE(data.holds(0, composed(size() - 1, 0, count)));
  }
  for (int root = 0; root < size(); ++root) {
    Area in = area_of(DataType::uint32, bytes_of(mine(9)));
    Area out = area(DataType::uint32, 9);
    run({reduce(in.send(), out.receive(), maps_, root)});
    EXPECT_TRUE(rank() == root ? out.holds(0, composed(size() - 1, 0, 9)) : out.is_unchanged());
    EXPECT_TRUE(in.is_unchanged());
  }
}

TEST_P(UserFunction, ReduceScatterKeepsTheOrder) {
  Area in = area_of(DataType::uint32, bytes_of(mine(5 * ranks())));
  Area out = area(DataType::uint32, 5);
  const Operation operation = reduce_scatter(in.send(), out.receive(), maps_);
  if (!serves(operation)) return;
  run({operation});
  EXPECT_TRUE(out.holds(0, composed(size() - 1, self() * 5, 5)));
  std::vector<std::size_t> counts(ranks(), 2);
  counts[0] = 4;
  const std::size_t first = self() == 0 ? 0 : 2 + 2 * self();
  Area uneven = area(DataType::uint32, counts[self()]);
  run({reduce_scatter(in.send(0, 2 * ranks() + 2), uneven.receive(), maps_, Blocks(counts))});
  EXPECT_TRUE(uneven.holds(0, composed(size() - 1, first, counts[self()])));
}

TEST_P(UserFunction, ScansKeepTheOrder) {
  Area in = area_of(DataType::uint32, bytes_of(mine(6)));
  Area out = area(DataType::uint32, 6), exclusive = area(DataType::uint32, 6);
  const Operation operation = scan(in.send(), out.receive(), maps_);
  if (!serves(operation)) return;
  run({operation});
  run({exclusive_scan(in.send(), exclusive.receive(), maps_)});
  EXPECT_TRUE(out.holds(0, composed(rank(), 0, 6)));
  EXPECT_TRUE(rank() == 0 ? exclusive.is_unchanged()
                          : exclusive.holds(0, composed(rank() - 1, 0, 6)));
}

TEST_P(UserFunction, BegunAndPlannedKeepsTheOrder) {
  Area data = area_of(DataType::uint32, bytes_of(mine(33)));
  const Operation operation = all_reduce(data.receive(), maps_);
  if (!serves(operation)) return;
  Prepared prepared = prepare({operation});
  prepared.task->start();
  EXPECT_TRUE(prepared.task->wait(Deadline{}));
  EXPECT_TRUE(data.holds(0, composed(size() - 1, 0, 33)));
}

// Two functions at work at the same time, on types that MPI does not know.
TEST_P(UserFunction, SeveralFunctionsInOneGroup) {
  UserReduction<bfloat16> larger(
      [](bfloat16 a, bfloat16 b) { return static_cast<float>(a) > static_cast<float>(b) ? a : b; },
      Commutes::yes);
  Area maps = area_of(DataType::uint32, bytes_of(mine(4)));
  Area numbers =
      area_of(DataType::bfloat16, reals(DataType::bfloat16, {rank() + 0.5, 5.0 - rank(), 3}));
  const Operation operation = all_reduce(numbers.receive(), larger);
  if (!serves(operation)) return;
  run({all_reduce(maps.receive(), maps_), operation});
  EXPECT_TRUE(maps.holds(0, composed(size() - 1, 0, 4)));
  EXPECT_TRUE(numbers.holds(0, reals(DataType::bfloat16, {size() - 0.5, 5, 3})));
}

// Case 72's kind: a function for another type than the data's would read the wrong elements.
TEST_P(UserFunction, OfAnotherTypeIsRefused) {
  Area data = area_of(DataType::float32, Bytes(8));
  const Failure failure = failure_of([&] { run({all_reduce(data.receive(), maps_)}); });
  ASSERT_TRUE(failure.thrown);
  EXPECT_EQ(failure.code, Errc::invalid_argument) << failure.text;
  EXPECT_NE(failure.text.find("uint32"), std::string::npos) << failure.text;
  EXPECT_NE(failure.text.find("float32"), std::string::npos) << failure.text;
}

}  // namespace
}  // namespace tutti::test
