// A team's failures and its steps. Ranks are threads here, or a forked child where one has to die.
#include "mpi/node/team.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "core/text.hpp"
#include "mpi/node/movement.hpp"
#include "mpi/node/reduction.hpp"
#include "mpi/node/thread_team.hpp"
#include "support/world.hpp"

namespace tutti::test {
namespace {

using namespace mpi::node;
using Kind = OperationKind;

testing::AssertionResult has(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "\"" << part << "\" is not in: " << text;
}

void all_reduce(Team& team, std::vector<float>& data, Way way = Way::whole) {
  const Operation op = tutti::all_reduce(data, sum);
  enter(team, signature_of(op));
  auto* const bytes = reinterpret_cast<std::byte*>(data.data());
  reduce(team, way, Kind::all_reduce, {sum, DataType::float32, sizeof(float)}, bytes, bytes,
         data.size(), 0);
}

void broadcast(Team& team, std::vector<float>& data, int root) {
  const Operation op = tutti::broadcast(data, root);
  enter(team, signature_of(op));
  mpi::node::broadcast(team, reinterpret_cast<std::byte*>(data.data()), data.size() * sizeof(float),
                       root);
}

/// The whole team is broken after one rank's failure: each later call says so.
void expect_broken(Team& team, const std::string& cause) {
  std::vector<float> data(4);
  for (int turn = 0; turn < 2; ++turn) {
    const Failure later = failure_of([&] { all_reduce(team, data); });
    EXPECT_EQ(later.code, Errc::broken) << later.text;
    EXPECT_TRUE(has(later.text, cause));
  }
}

/// Each rank of two does its own; both are to find out.
void expect_mismatch(const std::function<void(Team&)>& of_first,
                     const std::function<void(Team&)>& of_second, const std::string& first,
                     const std::string& second) {
  ThreadTeam pair(2);
  pair.run([&](Team& team) {
    const Failure failure = failure_of([&] { (team.rank() == 0 ? of_first : of_second)(team); });
    EXPECT_EQ(failure.code, Errc::mismatch) << failure.text;
    EXPECT_TRUE(has(failure.text, "rank 10 calls " + first));
    EXPECT_TRUE(has(failure.text, "rank 11 calls " + second));
    expect_broken(team, "different operations");
  });
}

TEST(TeamStory, AnotherOperationOfTheSameSizeIsTold) {
  std::vector<float> a(4), b(4);
  expect_mismatch([&](Team& team) { all_reduce(team, a); },
                  [&](Team& team) { broadcast(team, b, 0); }, "all_reduce of 4 float32, sum",
                  "broadcast of 4 float32, root 0");
}

TEST(TeamStory, AnotherSizeIsTold) {
  // On one channel; on two of them; in another number of steps.
  for (const auto& [first, second] :
       {std::pair{4, 5}, std::pair{4, 9000}, std::pair{9000, 90000}}) {
    std::vector<float> a(static_cast<std::size_t>(first)), b(static_cast<std::size_t>(second));
    expect_mismatch([&](Team& team) { all_reduce(team, a); },
                    [&](Team& team) { all_reduce(team, b); },
                    text("all_reduce of ", first, " float32, sum"),
                    text("all_reduce of ", second, " float32, sum"));
  }
}

TEST(TeamStory, AnotherRootIsTold) {
  std::vector<float> a(4), b(4);
  expect_mismatch([&](Team& team) { broadcast(team, a, 1); },
                  [&](Team& team) { broadcast(team, b, 0); }, "broadcast of 4 float32, root 1",
                  "broadcast of 4 float32, root 0");
}

TEST(TeamStory, ADeadlineEndsTheWaitForAPeer) {
  ThreadTeam pair(2);
  Team& team = pair.team(0);
  const auto begin = Deadline::Clock::now();
  const Failure failure = failure_of([&] {
    team.enter(1, Deadline::in(std::chrono::milliseconds(50)));
    barrier(team);
  });
  EXPECT_EQ(failure.code, Errc::timeout) << failure.text;
  EXPECT_GE(Deadline::Clock::now() - begin, std::chrono::milliseconds(50));
  expect_broken(team, "the deadline passed");
  // The peer that comes too late hears of it.
  std::vector<float> data(4);
  const Failure late = failure_of([&] { all_reduce(pair.team(1), data); });
  EXPECT_EQ(late.code, Errc::mismatch) << late.text;
}

TEST(TeamStory, ADeadlineEndsTheWaitForRoom) {
  ThreadTeam pair(2);
  Team& team = pair.team(0);
  std::vector<float> data(4);
  int done = 0;
  const Failure failure = failure_of([&] {
    for (; done < 1000; ++done) {
      team.enter(1, Deadline::in(std::chrono::milliseconds(50)));
      mpi::node::broadcast(team, reinterpret_cast<std::byte*>(data.data()), 16, 0);
    }
  });
  EXPECT_EQ(failure.code, Errc::timeout) << failure.text;
  // So far ahead a writer may be.
  EXPECT_EQ(done, static_cast<int>(team.yields() ? Lane::small_slots : Lane::small_slots_of_cores));
}

// A step of five parts takes a whole large slot, one of a broadcast a fraction of it.
TEST(TeamStory, WholeSlotsAndFractionsOfThemAreMixed) {
  constexpr int size = 6;
  constexpr std::size_t block = 60'000;
  ThreadTeam ranks(size);
  ranks.run([&](Team& team) {
    const std::size_t n = team.n();
    std::vector<float> data;
    std::vector<std::byte> in(n * block), out(n * block);
    for (int turn = 0; turn < 300 && !testing::Test::HasFailure(); ++turn) {
      if (turn % 5 < 3) {
        data.assign(3000 + static_cast<std::size_t>(turn) * 100, -1);
        const int root = turn % size;
        if (team.rank() == root) std::fill(data.begin(), data.end(), static_cast<float>(turn));
        broadcast(team, data, root);
        ASSERT_EQ(data, std::vector<float>(data.size(), static_cast<float>(turn))) << turn;
        continue;
      }
      for (std::size_t i = 0; i < in.size(); ++i)
        in[i] = static_cast<std::byte>(i / block * 17 + i + static_cast<std::size_t>(turn) +
                                       static_cast<std::size_t>(team.rank()) * 59);
      enter(team, 1000 + static_cast<Signature>(turn));
      const ByteBlocks blocks{BlockLayout(block), 1};
      all_to_all(team, in.data(), blocks, out.data(), blocks, block);
      for (std::size_t i = 0; i < out.size(); ++i)
        ASSERT_EQ(out[i],
                  static_cast<std::byte>(static_cast<std::size_t>(team.rank()) * 17 + i % block +
                                         static_cast<std::size_t>(team.rank()) * block +
                                         static_cast<std::size_t>(turn) + i / block * 59))
            << turn << ": " << i;
    }
  });
}

TEST(TeamStory, AnAbortEndsTheWait) {
  ThreadTeam pair(2);
  std::thread aborter([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    pair.abort_flag().aborted = true;
  });
  const Failure failure = failure_of([&] {
    enter(pair.team(0), 1);
    barrier(pair.team(0));
  });
  aborter.join();
  EXPECT_EQ(failure.code, Errc::aborted) << failure.text;
  expect_broken(pair.team(0), "was aborted");
}

TEST(TeamStory, APeerThatGaveUpIsTold) {
  ThreadTeam pair(2);
  static_cast<void>(failure_of([&] {
    pair.team(1).enter(1, Deadline::in(std::chrono::milliseconds(1)));
    barrier(pair.team(1));
  }));
  const Failure failure = failure_of([&] {
    enter(pair.team(0), 1);
    barrier(pair.team(0));  // the peer's slot is there: it had published before it gave up
    enter(pair.team(0), 1);
    barrier(pair.team(0));
  });
  EXPECT_EQ(failure.code, Errc::broken) << failure.text;
  EXPECT_TRUE(has(failure.text, "rank 11 gave up inside its operation number 1"));
}

// As where a message between nodes failed: the ranks that wait for what would have come.
TEST(TeamStory, APeerWhoseOperationFailedElsewhereIsTold) {
  ThreadTeam pair(2);
  enter(pair.team(1), 1);
  pair.team(1).give_up("a message was too short");
  const Failure failure = failure_of([&] {
    enter(pair.team(0), 1);
    barrier(pair.team(0));
  });
  EXPECT_EQ(failure.code, Errc::broken) << failure.text;
  EXPECT_TRUE(has(failure.text, "rank 11 gave up inside its operation number 1"));
  expect_broken(pair.team(1), "a message was too short");
}

// As where a message between two ranks failed, or what a rank had started.
TEST(TeamStory, APeerWhoseCommunicatorBrokeElsewhereIsTold) {
  ThreadTeam ranks(3);
  std::vector<float> data{1, 2}, out(2);
  broadcast(ranks.team(1), data, 1);
  ranks.team(1).leave_broken();
  broadcast(ranks.team(0), out, 1);
  EXPECT_EQ(out, data) << "what it gave before is good";
  const Failure first = failure_of([&] { broadcast(ranks.team(0), out, 1); });
  EXPECT_EQ(first.code, Errc::broken) << first.text;
  EXPECT_TRUE(has(first.text,
                  "rank 11 gave up outside of the node's memory, after its operation number 1, "
                  "broadcast of 2 float32, root 1"));
  expect_broken(ranks.team(0), "rank 11 gave up");
}

TEST(TeamStory, WhoGaveUpFirstIsNamedToThoseWhoWaitForAnother) {
  ThreadTeam ranks(3);
  ranks.team(1).leave_broken();
  const auto wait_for = [&](int rank, int peer) {
    Team& team = ranks.team(rank);
    enter(team, signature_of(tutti::barrier()));
    return failure_of([&] { team.await(team.small(), peer, 1); });
  };
  const std::string origin = "rank 11 gave up before its first operation in the node's memory";
  const Failure near = wait_for(2, 1);
  EXPECT_EQ(near.code, Errc::broken) << near.text;
  EXPECT_TRUE(has(near.text, origin));
  const Failure far = wait_for(0, 2);
  EXPECT_EQ(far.code, Errc::broken) << far.text;
  EXPECT_TRUE(has(far.text, "rank 12 gave up inside its operation number 1, barrier; " + origin));
}

/// Its number is taken still, because nobody has waited for it.
TEST(TeamStory, APeerThatDiedIsToldByItsMemory) {
  const Lanes lanes(2);
  const auto flag = std::make_shared<detail::AbortFlag>();
  Team team(lanes.data(), 0, {10, 11}, flag);
  const pid_t child = fork();
  if (child == 0) {
    const Team its_team(lanes.data(), 1, {10, 11}, flag);
    _exit(0);
  }
  siginfo_t how{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child), &how, WEXITED | WNOWAIT), 0);
  team.meet();
  enter(team, 1);
  std::byte byte{};
  const auto address = reinterpret_cast<std::uintptr_t>(&byte);
  const Failure failure = failure_of([&] { team.read(1, address, &byte, 1); });
  EXPECT_EQ(failure.code, Errc::broken) << failure.text;
  EXPECT_TRUE(has(failure.text, text("rank 11 (process ", child, ") has ended"))) << failure.text;
  EXPECT_EQ(waitpid(child, nullptr, 0), child);
}

/// Rank 1 is another process, which does two operations and is gone then.
TEST(TeamStory, APeerThatDiedIsTold) {
  const Lanes lanes(2);
  const auto flag = std::make_shared<detail::AbortFlag>();
  std::vector<float> data(4);
  Team team(lanes.data(), 0, {10, 11}, flag);
  int told[2];
  ASSERT_EQ(pipe(told), 0);
  const pid_t child = fork();
  if (child == 0) {
    Team its_team(lanes.data(), 1, {10, 11}, flag);
    static_cast<void>(!write(told[1], "", 1));
    for (int turn = 0; turn < 2; ++turn) all_reduce(its_team, data);
    _exit(0);
  }
  char byte = 0;
  ASSERT_EQ(read(told[0], &byte, 1), 1);
  team.meet();
  for (int turn = 0; turn < 2; ++turn) all_reduce(team, data);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  const Failure failure = failure_of([&] { all_reduce(team, data); });
  EXPECT_EQ(failure.code, Errc::broken) << failure.text;
  EXPECT_TRUE(has(failure.text, text("rank 11 (process ", child, ") has ended")));
  EXPECT_TRUE(has(failure.text, "its last operation was number 2, all_reduce of 4 float32, sum"));
  EXPECT_TRUE(has(failure.text, "this is number 3"));
  expect_broken(team, "has ended");
  close(told[0]);
  close(told[1]);
}

/// Many more operations than there are slots, of all kinds mixed, nobody waiting for anybody but
/// where data is due.
TEST(TeamStory, StepsWrapOverManyOperations) {
  for (const int size : {2, 3}) {
    ThreadTeam ranks(size);
    ranks.run([&](Team& team) {
      const auto me = static_cast<float>(team.rank());
      std::vector<float> data(20);
      for (int turn = 0; turn < 100000 / size && !testing::Test::HasFailure(); ++turn) {
        const int root = turn * 7 % size;
        const bool large = turn % 1000 == 999;
        data.assign(large ? 20000 : 1 + static_cast<std::size_t>(turn % 20), me + 1);
        if (turn % 3 != 0) {
          data[0] = static_cast<float>(turn);
          if (team.rank() != root) data[0] = -1;
          broadcast(team, data, root);
          ASSERT_EQ(data[0], static_cast<float>(turn)) << turn;
        } else {
          all_reduce(team, data, turn % 2 == 0 ? Way::whole : Way::sliced);
          ASSERT_EQ(data.back(), static_cast<float>(size * (size + 1) / 2)) << turn;
        }
      }
    });
  }
}

}  // namespace
}  // namespace tutti::test
