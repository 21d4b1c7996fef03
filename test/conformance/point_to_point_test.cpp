// send, recv, send_recv: tags, order, groups, to oneself.
#include "conformance/fixture.hpp"

namespace tutti::test {
namespace {

class PointToPoint : public Conformance {
 protected:
  int next() const { return (rank() + 1) % size(); }
  int previous() const { return (rank() + size() - 1) % size(); }
};
TUTTI_ON_EVERY_BACKEND(PointToPoint);

TEST_P(PointToPoint, SendRecvShiftsAroundTheRing) {
  for_each_movement([&](DataType type, std::size_t count, int) {
    Area in = area_of(type, noise(type, rank(), count));
    Area out = area(type, count, 3);
    const Operation operation = send_recv(in.send(), next(), out.receive(), previous());
    if (!serves(operation)) return;
    run({operation});
    EXPECT_TRUE(out.holds(0, noise(type, previous(), count)));
    EXPECT_TRUE(in.is_unchanged());
  });
}

// Both directions in one group, larger than any eager limit: cannot deadlock (case 92).
TEST_P(PointToPoint, AGroupOfSendsAndReceivesCannotDeadlock) {
  const std::size_t count = GetParam().largest;
  Area in = area_of(DataType::float64, noise(DataType::float64, rank(), count));
  Area from_previous = area(DataType::float64, count);
  Area from_next = area(DataType::float64, count);
  const Operation first = send(in.send(), next(), 0);
  if (!serves(first)) return;
  if (size() == 1) return;
  run({first, send(in.send(), previous(), 0), recv(from_previous.receive(), previous(), 0),
       recv(from_next.receive(), next(), 0)});
  EXPECT_TRUE(from_next.holds(0, noise(DataType::float64, next(), count)));
  EXPECT_TRUE(from_previous.holds(0, noise(DataType::float64, previous(), count)));
}

TEST_P(PointToPoint, TagsMatch) {
  Area in = area_of(DataType::int32, noise(DataType::int32, rank(), 6));
  Area late = area(DataType::int32, 3), early = area(DataType::int32, 3);
  const Operation first = send(in.send(0, 3), next(), 7);
  if (!serves(first)) return;
  // Received in the other order than sent: the tag decides.
  run({first, send(in.send(3, 3), next(), 9), recv(late.receive(), previous(), 9),
       recv(early.receive(), previous(), 7)});
  const Bytes sent = noise(DataType::int32, previous(), 6);
  EXPECT_TRUE(early.holds(0, slice(DataType::int32, sent, 0, 3)));
  EXPECT_TRUE(late.holds(0, slice(DataType::int32, sent, 3, 3)));
}

TEST_P(PointToPoint, EqualTagsKeepTheirOrder) {
  constexpr std::size_t messages = 6;
  Area in = area_of(DataType::int32, noise(DataType::int32, rank(), messages));
  Area out = area(DataType::int32, messages);
  std::vector<Operation> group;
  for (std::size_t i = 0; i < messages; ++i) {
    group.push_back(send(in.send(i, 1), next(), 3));
    group.push_back(recv(out.receive(i, 1), previous(), 3));
  }
  if (!serves(group[0])) return;
  run(group);
  EXPECT_TRUE(out.holds(0, noise(DataType::int32, previous(), messages)));
}

TEST_P(PointToPoint, ToOneselfInsideAGroup) {
  Area in = area_of(DataType::int16, noise(DataType::int16, rank(), 5));
  Area out = area(DataType::int16, 5);
  Area again = area(DataType::int16, 5);
  const Operation to_self = send(in.send(), rank());
  if (!serves(to_self)) return;
  run({to_self, recv(out.receive(), rank())});
  run({send_recv(in.send(), rank(), again.receive(), rank())});
  EXPECT_TRUE(out.holds(0, noise(DataType::int16, rank(), 5)));
  EXPECT_TRUE(again.holds(0, noise(DataType::int16, rank(), 5)));
}

TEST_P(PointToPoint, OnlyTheTwoRanksConcernedTakePart) {
  if (size() < 2) return;
  const std::size_t count = GetParam().largest / 2;
  Area in = area_of(DataType::uint16, noise(DataType::uint16, 0, count));
  Area out = area(DataType::uint16, count);
  const int last = size() - 1;
  if (!serves(send(in.send(), rank() == 0 ? last : 0, 1))) return;
  if (rank() == 0) run({send(in.send(), last, 1)});
  if (rank() == last) run({recv(out.receive(), 0, 1)});
  EXPECT_TRUE(rank() == last ? out.holds(0, noise(DataType::uint16, 0, count))
                             : out.is_unchanged());
}

}  // namespace
}  // namespace tutti::test
