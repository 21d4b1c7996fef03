// Cases 11 to 15: sub-communicators, no colour, null and inter-communicators, empty objects.
#include "support/communicators.hpp"

namespace tutti::test {
namespace {

class Split : public OnWorld {};

// Case 11: ranks and roots are the child's; with a negative key the order is reversed.
TEST_F(Split, RanksComeFromTheCommunicatorGiven) {
  const Communicator half = world_.split(rank() % 2, -rank());
  MPI_Comm raw = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank() % 2, -rank(), &raw);
  int raw_rank = -1, raw_size = -1;
  MPI_Comm_rank(raw, &raw_rank);
  MPI_Comm_size(raw, &raw_size);
  EXPECT_EQ(half.rank(), raw_rank);
  EXPECT_EQ(half.size(), raw_size);
  std::vector<int> data{rank()};
  half.all_reduce(data, sum);
  int expected = 0;
  for (int r = rank() % 2; r < size(); r += 2) expected += r;
  EXPECT_EQ(data[0], expected);
  std::vector<int> from_root{rank()};
  half.broadcast(from_root, 0);
  EXPECT_EQ(from_root[0], (size() - 1 - rank() % 2) / 2 * 2 + rank() % 2)
      << "the highest of its half";
  const Communicator given(raw);
  EXPECT_EQ(given.rank(), raw_rank);
  expect_works(given);
  MPI_Comm_free(&raw);
  expect_works(given);
}

// Case 13: a rank without a colour gets an empty communicator.
TEST_F(Split, ARankWithoutAColourIsLeftOut) {
  const Communicator part = world_.split(rank() == 0 ? -1 : 0);
  EXPECT_EQ(part.valid(), rank() != 0);
  if (part.valid()) expect_works(part);
  expect_works(world_);
}

TEST_F(Split, EmptyCommunicatorsRefuseWork) {
  const Communicator nobody;
  std::vector<int> data(3);
  EXPECT_FALSE(nobody.valid());
  for (const auto& call : std::vector<std::function<void()>>{
           [&] { nobody.all_reduce(data, sum); }, [&] { (void)nobody.rank(); },
           [&] { (void)nobody.split(0); }, [&] { (void)nobody.start(barrier()); },
           [&] { (void)nobody.plan(barrier()); }, [&] { (void)nobody.mpi(); }}) {
    const Failure failure = failure_of(call);
    ASSERT_TRUE(failure.thrown);
    EXPECT_EQ(failure.code, Errc::invalid_argument) << failure.text;
  }
  nobody.abort();
}

TEST_F(Split, NullCommunicatorIsRefused) {
  const Failure failure = agreed_failure_of([] { Communicator none(MPI_COMM_NULL); });
  EXPECT_EQ(failure.code, Errc::invalid_argument);
  EXPECT_TRUE(has(failure.text, "MPI_COMM_NULL"));
}

// Case 14: moved-from objects are empty, self-assignment keeps the object.
TEST_F(Split, MovingLeavesAnEmptyCommunicator) {
  Communicator first = world_.duplicate();
  Communicator second(std::move(first));
  EXPECT_FALSE(first.valid());  // NOLINT: the state after a move is documented
  expect_works(second);
  Communicator third;
  third = std::move(second);
  Communicator& same = third;
  third = std::move(same);
  expect_works(third);
  std::vector<int> data(1);
  EXPECT_TRUE(failure_of([&] { second.all_reduce(data, sum); }).thrown);  // NOLINT
}

// Case 15.
TEST_F(Split, IntercommunicatorIsRefused) {
  if (size() < 2) return;
  const int side = rank() % 2;
  MPI_Comm half = MPI_COMM_NULL, between = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, side, 0, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - side, 5, &between);
  const Failure failure = agreed_failure_of([&] { Communicator refused(between); });
  EXPECT_EQ(failure.code, Errc::invalid_argument);
  EXPECT_TRUE(has(failure.text, "intercommunicator"));
  MPI_Comm_free(&between);
  MPI_Comm_free(&half);
  expect_works(world_);
}

TEST_F(Split, OfSplitOfSplit) {
  Communicator current = world_.duplicate();
  while (current.size() > 1) {
    current = current.split(current.rank() == 0 ? 0 : 1);
    expect_works(current);
  }
  expect_works(world_);
}

}  // namespace
}  // namespace tutti::test
