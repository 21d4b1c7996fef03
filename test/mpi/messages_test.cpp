// Which calls of MPI's messages between two ranks come to, counted in front of it, and what
// arrives.
#include <map>
#include <numeric>
#include <string>

#include "support/communicators.hpp"

namespace {

using Calls = std::map<std::string, int>;
Calls* counted = nullptr;  // by the thread that makes all calls

void count(const char* call) {
  if (counted != nullptr) ++(*counted)[call];
}

}  // namespace

extern "C" {
int MPI_Send(const void* data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  count("Send");
  return PMPI_Send(data, n, type, to, tag, comm);
}
int MPI_Recv(void* data, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Status* status) {
  count("Recv");
  return PMPI_Recv(data, n, type, from, tag, comm, status);
}
int MPI_Sendrecv(const void* in, int n, MPI_Datatype type, int to, int tag, void* out, int n_out,
                 MPI_Datatype type_out, int from, int tag_out, MPI_Comm comm, MPI_Status* status) {
  count("Sendrecv");
  return PMPI_Sendrecv(in, n, type, to, tag, out, n_out, type_out, from, tag_out, comm, status);
}
int MPI_Isend(const void* data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  count("Isend");
  return PMPI_Isend(data, n, type, to, tag, comm, request);
}
int MPI_Irecv(void* data, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request* request) {
  count("Irecv");
  return PMPI_Irecv(data, n, type, from, tag, comm, request);
}
int MPI_Waitall(int n, MPI_Request* requests, MPI_Status* statuses) {
  count("Waitall");
  return PMPI_Waitall(n, requests, statuses);
}
int MPI_Testall(int n, MPI_Request* requests, int* done, MPI_Status* statuses) {
  count("Testall");
  return PMPI_Testall(n, requests, done, statuses);
}
}

namespace tutti::test {
namespace {

class Messages : public OnWorld {
 protected:
  static constexpr std::size_t many = 300000;  // beyond what MPI sends before it is received

  template <class Call>
  static Calls calls_of(const Call& call) {
    Calls calls;
    counted = &calls;
    call();
    counted = nullptr;
    return calls;
  }

  int next() const { return (rank() + 1) % size(); }
  int previous() const { return (rank() + size() - 1) % size(); }
  static std::vector<int> from(int r, std::size_t count) {
    std::vector<int> values(count);
    std::iota(values.begin(), values.end(), 1000000 * r);
    return values;
  }
  std::vector<int> own(std::size_t count) const { return from(rank(), count); }
  static Options cut_at(std::size_t max_count) {
    Options options;
    options.max_count = max_count;
    return options;
  }
};

TEST_F(Messages, EachAloneIsOneBlockingCall) {
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, many}) {
    const std::vector<int> in = own(count);
    std::vector<int> out(count);
    const auto send = [&] { world_.send(in, 1, 3); };
    const auto receive = [&] { world_.recv(out, 0, 3); };
    if (rank() == 0) {
      EXPECT_EQ(calls_of(send), (Calls{{"Send", 1}}));
    }
    if (rank() == 1) {
      EXPECT_EQ(calls_of(receive), (Calls{{"Recv", 1}}));
      EXPECT_EQ(out, from(0, count));
    }
    const auto both = [&] { world_.send_recv(in, next(), out, previous(), 4); };
    EXPECT_EQ(calls_of(both), (Calls{{"Sendrecv", 1}}));
    EXPECT_EQ(out, from(previous(), count));
  }
}

TEST_F(Messages, InPlaceIsOneCallToo) {
  for (const std::size_t count : {std::size_t{1}, many}) {
    std::vector<int> data = own(count);
    const auto shift = [&] { world_.send_recv(data, next(), data, previous()); };
    EXPECT_EQ(calls_of(shift), (Calls{{"Sendrecv", 1}}));
    EXPECT_EQ(data, from(previous(), count));
  }
}

TEST_F(Messages, OfAPlanAreOneCallEachTime) {
  const std::vector<int> in = own(5);
  std::vector<int> out(5);
  Plan both = world_.plan(send_recv(in, next(), out, previous()));
  for (int turn = 0; turn < 3; ++turn) {
    std::fill(out.begin(), out.end(), -1);
    EXPECT_EQ(calls_of([&] { both.run(); }), (Calls{{"Sendrecv", 1}}));
    EXPECT_EQ(out, from(previous(), 5));
  }
}

TEST_F(Messages, BeyondTheLargestCountAreCut) {
  const Communicator comm(MPI_COMM_WORLD, cut_at(10));
  for (const std::size_t count : {std::size_t{10}, std::size_t{11}, std::size_t{25}}) {
    const int pieces = count == 10 ? 1 : count == 11 ? 2 : 3;
    const std::vector<int> in = own(count);
    std::vector<int> out(count);
    const Calls calls = calls_of([&] { comm.send_recv(in, next(), out, previous()); });
    EXPECT_EQ(calls, pieces == 1 ? (Calls{{"Sendrecv", 1}})
                                 : (Calls{{"Irecv", pieces}, {"Isend", pieces}, {"Waitall", 1}}));
    EXPECT_EQ(out, from(previous(), count));
    std::fill(out.begin(), out.end(), -1);
    if (rank() == 0) comm.send(in, 1);
    if (rank() == 1) comm.recv(out, 0);
    if (rank() == 1) {
      EXPECT_EQ(out, from(0, count));
    }
  }
}

// Long ones of both directions wait for one another.
TEST_F(Messages, GroupsAreUnderWayTogether) {
  const std::vector<int> in = own(many);
  std::vector<int> out(many), second(many);
  const auto pair = [&] { world_.run({send(in, next(), 1), recv(out, previous(), 1)}); };
  EXPECT_EQ(calls_of(pair), (Calls{{"Sendrecv", 1}}));
  EXPECT_EQ(out, from(previous(), many));
  const auto ring = [&] {
    world_.run({send(in, next(), 1), recv(out, previous(), 2), send(in, next(), 2),
                recv(second, previous(), 1)});
  };
  std::fill(out.begin(), out.end(), -1);
  EXPECT_EQ(calls_of(ring), (Calls{{"Isend", 2}, {"Irecv", 2}, {"Waitall", 1}}));
  EXPECT_EQ(out, from(previous(), many));
  EXPECT_EQ(second, from(previous(), many));
}

// The copy of what is overwritten comes before anything is waited for.
TEST_F(Messages, GroupsMayHoldOnesInPlace) {
  const std::vector<int> in = own(many);
  std::vector<int> data = own(many), out(many);
  world_.run({recv(out, next(), 1), send_recv(data, next(), data, previous(), 2),
              send(in, previous(), 1)});
  EXPECT_EQ(data, from(previous(), many));
  EXPECT_EQ(out, from(next(), many));
}

TEST_F(Messages, ToOneselfNeedAGroup) {
  const std::vector<int> in = own(many);
  std::vector<int> out(many);
  world_.run({send(in, rank()), recv(out, rank())});
  EXPECT_EQ(out, in);
}

// What blocks in MPI no deadline ends.
TEST_F(Messages, WithADeadlineNeverBlockInMpi) {
  const std::vector<int> in = own(many);
  std::vector<int> out(many);
  const auto minute = std::chrono::minutes(1);
  const Calls calls = calls_of([&] {
    world_.run(send_recv(in, next(), out, previous()).within(minute));
    world_.run({send(in, next(), 1).within(minute), recv(out, previous(), 1).within(minute)});
    if (rank() == 0) world_.run(send(in, 1, 5).within(minute));
    if (rank() == 1) world_.run(recv(out, 0, 5).within(minute));
  });
  for (const char* const call : {"Send", "Recv", "Sendrecv", "Waitall"})
    EXPECT_EQ(calls.count(call), 0U) << call;
}

TEST_F(Messages, ShorterThanTheirReceiveAreAMismatchAndLeaveAllWhole) {
  const std::vector<int> in = own(2);
  std::vector<int> out(3, -1), second(3, -1);
  const std::vector<int> came{in[0] - 1000000 * rank() + 1000000 * previous(),
                              in[1] - 1000000 * rank() + 1000000 * previous(), -1};
  const auto expect_mismatch = [&](const Failure& failure) {
    EXPECT_EQ(failure.code, Errc::mismatch);
    EXPECT_TRUE(has(failure.text, "rank " + std::to_string(previous()) +
                                      " sent 2 elements where 3 are to be received (tag 6)"));
  };
  expect_mismatch(failure_of([&] { world_.send_recv(in, next(), out, previous(), 6); }));
  EXPECT_EQ(out, came);
  expect_mismatch(failure_of([&] {
    world_.run({send(in, next(), 6), recv(out, previous(), 6), send(in, next(), 7),
                recv(second, previous(), 7)});
  }));
  EXPECT_EQ(second, came);
  if (rank() == 0) world_.send(in, 1);
  if (rank() == 1) {
    const Failure failure = failure_of([&] { world_.recv(out, 0); });
    EXPECT_EQ(failure.code, Errc::mismatch);
    EXPECT_TRUE(has(failure.text, "recv"));
  }
  expect_works(world_);
}

TEST_F(Messages, LongerThanTheirReceiveAreErrorsOfMpis) {
  const std::vector<int> in = own(3);
  std::vector<int> out(2);
  const Failure failure = failure_of([&] { world_.send_recv(in, next(), out, previous()); });
  EXPECT_EQ(failure.code, Errc::mpi);
  EXPECT_TRUE(has(failure.text, "send_recv"));
  EXPECT_TRUE(has(failure.text, "MPI_Sendrecv failed"));
}

}  // namespace
}  // namespace tutti::test
