// Several operations at once, and tasks: begun, tested, waited for in any order.
#include <thread>

#include "conformance/fixture.hpp"

namespace tutti::test {
namespace {

class Groups : public Conformance {
 protected:
  static constexpr DataType type = DataType::int32;

  Bytes expected_sum(std::size_t count, std::uint32_t seed = 0) const {
    std::vector<Bytes> inputs;
    for (int r = 0; r < size(); ++r) inputs.push_back(pattern(type, Kind::sum, r, count, seed));
    return reduced(type, Kind::sum, inputs);
  }
  Area mine(std::size_t count, std::uint32_t seed = 0) {
    return area_of(type, pattern(type, Kind::sum, rank(), count, seed));
  }
  static void finish(Task& task) {
    while (!task.test()) std::this_thread::yield();
  }
};
TUTTI_ON_EVERY_BACKEND(Groups);

TEST_P(Groups, SeveralCollectivesInOneCall) {
  Area first = mine(5), second = mine(900, 1);
  Area sent = area_of(type, noise(type, rank(), 3)), gathered = area(type, 3 * ranks());
  Area from_root = area_of(type, noise(type, rank(), 4));
  const Operation operation = all_reduce(first.receive(), sum);
  if (!serves(operation)) return;
  run({operation, all_gather(sent.send(), gathered.receive()), all_reduce(second.receive(), sum),
       broadcast(from_root.receive(), size() - 1)});
  EXPECT_TRUE(first.holds(0, expected_sum(5)));
  EXPECT_TRUE(second.holds(0, expected_sum(900, 1)));
  EXPECT_TRUE(gathered.holds(0, joined(noises(type, 3))));
  EXPECT_TRUE(from_root.holds(0, noise(type, size() - 1, 4)));
}

TEST_P(Groups, EmptyGroupIsNothing) {
  run(std::vector<Operation>{});
  Area data = mine(2);
  run({all_reduce(data.receive(), sum)});
  EXPECT_TRUE(data.holds(0, expected_sum(2)));
}

TEST_P(Groups, CollectivesAndMessagesMixed) {
  Area data = mine(7), in = area_of(type, noise(type, rank(), 2)), out = area(type, 2);
  const int next = (rank() + 1) % size();
  const int previous = (rank() + size() - 1) % size();
  const Operation operation = all_reduce(data.receive(), sum);
  if (!serves(operation)) return;
  run({send(in.send(), next), operation, barrier(), recv(out.receive(), previous)});
  EXPECT_TRUE(data.holds(0, expected_sum(7)));
  EXPECT_TRUE(out.holds(0, noise(type, previous, 2)));
}

TEST_P(Groups, AGroupHoldsEveryOperation) {
  Area a = mine(4), b = mine(4), c = mine(4), d = mine(4), e = mine(4), out = area(type, 4);
  Area wide = area_of(type, pattern(type, Kind::sum, rank(), 4 * ranks())), small = area(type, 4);
  Area turned = area(type, 4 * ranks());
  const std::vector<Operation> operations{reduce(a.receive(), sum, size() - 1),
                                          scan(b.send(), b.receive(), sum),
                                          exclusive_scan(c.send(), out.receive(), sum),
                                          reduce_scatter(wide.send(), small.receive(), sum),
                                          all_to_all(wide.send(), turned.receive()),
                                          broadcast(d.receive(), 0),
                                          barrier(),
                                          all_reduce(e.receive(), avg)};
  for (const Operation& operation : operations)
    if (!serves(operation)) return;
  run(operations);
  if (rank() == size() - 1) {
    EXPECT_TRUE(a.holds(0, expected_sum(4)));
    EXPECT_TRUE(b.holds(0, expected_sum(4)));
  }
  std::vector<Bytes> wides = patterns(type, Kind::sum, 4 * ranks());
  EXPECT_TRUE(small.holds(0, slice(type, reduced(type, Kind::sum, wides), self() * 4, 4)));
  EXPECT_TRUE(d.holds(0, pattern(type, Kind::sum, 0, 4)));
}

TEST_P(Groups, ATaskRunsAsOftenAsWanted) {
  Area in = mine(50), out = area(type, 50);
  const Operation operation = all_reduce(in.send(), out.receive(), sum);
  if (!serves(operation)) return;
  Prepared prepared = prepare({operation});
  for (std::uint32_t turn = 0; turn < 4; ++turn) {
    in.put(0, pattern(type, Kind::sum, rank(), 50, turn));
    prepared.task->start();
    if (turn % 2 == 0)
      finish(*prepared.task);
    else {
      EXPECT_TRUE(prepared.task->wait(Deadline{}));
    }
    EXPECT_TRUE(prepared.task->test()) << "a task that is done stays done";
    EXPECT_TRUE(out.holds(0, expected_sum(50, turn)));
  }
}

// All begin the tasks in the same order; they end them in orders of their own.
TEST_P(Groups, TasksAreWaitedForInAnyOrder) {
  constexpr std::size_t tasks = 4;
  std::vector<Area> areas;
  std::vector<Prepared> prepared;
  for (std::uint32_t i = 0; i < tasks; ++i) areas.push_back(mine(10 + i, i));
  if (!serves(all_reduce(areas[0].receive(), sum))) return;
  for (const Area& data : areas) prepared.push_back(prepare({all_reduce(data.receive(), sum)}));
  for (Prepared& p : prepared) p.task->start();
  for (std::size_t i = 0; i < tasks; ++i) {
    const std::size_t turned = (i + self()) % tasks;
    const std::size_t which = rank() % 2 == 0 ? turned : tasks - 1 - turned;
    if (which % 2 == 0) {
      EXPECT_TRUE(prepared[which].task->wait(Deadline{}));
    } else
      finish(*prepared[which].task);
    EXPECT_TRUE(areas[which].holds(0, expected_sum(10 + which, static_cast<std::uint32_t>(which))));
  }
}

TEST_P(Groups, OperationsOfOtherKindsMayRunMeanwhile) {
  Area late = mine(100), now = mine(3, 5), blocks = area(type, ranks());
  const Operation operation = all_reduce(late.receive(), sum);
  if (!serves(operation)) return;
  Prepared prepared = prepare({operation});
  prepared.task->start();
  blocks.put(self(), noise(type, rank(), 1));
  run({all_reduce(now.receive(), sum)});
  run({all_gather(blocks.receive())});
  EXPECT_TRUE(prepared.task->wait(Deadline{}));
  EXPECT_TRUE(now.holds(0, expected_sum(3, 5)));
  EXPECT_TRUE(late.holds(0, expected_sum(100)));
  EXPECT_TRUE(blocks.holds(0, joined(noises(type, 1))));
}

// A deadline that passes is told by false and harms nothing: the rank that is late comes in the
// end.
TEST_P(Groups, WaitEndsAtItsDeadline) {
  Area data = mine(6);
  const Operation operation = all_reduce(data.receive(), sum);
  if (!serves(operation) || size() < 2) return;
  Prepared prepared = prepare({operation});
  if (rank() == 0) {
    prepared.task->start();
    EXPECT_FALSE(prepared.task->wait(Deadline::in(std::chrono::milliseconds(30))));
    EXPECT_FALSE(prepared.task->test());
    meet();
  } else {
    meet();
    prepared.task->start();
  }
  EXPECT_TRUE(prepared.task->wait(Deadline{}));
  EXPECT_TRUE(data.holds(0, expected_sum(6)));
}

TEST_P(Groups, EveryOperationCanBeATask) {
  const std::size_t n = 3;
  Area in = mine(n * ranks()), all = area(type, n * ranks()), one = area(type, n);
  const int root = size() - 1;
  const SendView block = in.send(0, n);
  const Operation operations[] = {
      all_reduce(block, one.receive(), sum),
      reduce(block, one.receive(), sum, root),
      broadcast(one.receive(), root),
      all_gather(block, all.receive()),
      reduce_scatter(in.send(), one.receive()),
      gather(block, all.receive(), root),
      scatter(in.send(), one.receive(), root),
      all_to_all(in.send(), all.receive()),
      scan(block, one.receive()),
      exclusive_scan(block, one.receive()),
      send_recv(block, (rank() + 1) % size(), one.receive(), (rank() + size() - 1) % size()),
      barrier()};
  for (const Operation& operation : operations) {
    if (!serves(operation)) continue;
    // The same through `run`, into the same memory, is what the task must leave there, begun or
    // run, in turns.
    run({operation});
    const Bytes small = one.read(0, n), large = all.read(0, n * ranks());
    Prepared prepared = prepare({operation});
    for (const bool begins : {true, false, false, true}) {
      one.put(0, Bytes(n * 4, std::byte{0x11}));
      all.put(0, Bytes(n * ranks() * 4, std::byte{0x22}));
      if (operation.kind == OperationKind::broadcast && rank() == root) one.put(0, small);
      if (begins) {
        prepared.task->start();
        finish(*prepared.task);
      } else {
        prepared.task->run(Deadline{});
      }
      const bool writes_one = operation.receive.data == one.receive().data;
      const bool mine_to_write =
          !((operation.kind == OperationKind::reduce || operation.kind == OperationKind::gather) &&
            rank() != root) &&
          !(operation.kind == OperationKind::exclusive_scan && rank() == 0);
      if (!operation.receive.given || !mine_to_write) continue;
      EXPECT_TRUE(writes_one ? one.holds(0, small) : all.holds(0, large)) << describe(operation);
    }
  }
}

TEST_P(Groups, BarrierWaitsForTheLast) {
  using Clock = std::chrono::steady_clock;
  for (int late = 0; late < size(); late += 3) {
    const auto begin = Clock::now();
    meet();
    if (rank() == late) std::this_thread::sleep_for(std::chrono::milliseconds(60));
    run({barrier()});
    if (rank() != late) {
      EXPECT_GE(Clock::now() - begin, std::chrono::milliseconds(60));
    }
  }
}

}  // namespace
}  // namespace tutti::test
