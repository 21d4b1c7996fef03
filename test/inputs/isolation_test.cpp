// Case 24 and its kind: the application's messages, handlers and attributes are its own.
#include "support/communicators.hpp"

namespace tutti::test {
namespace {

class Isolation : public OnWorld {};

void every_operation(const Communicator& world) {
  const auto n = static_cast<std::size_t>(world.size());
  std::vector<int> a(3 * n, 1), b(3 * n), small(3);
  const int next = (world.rank() + 1) % world.size();
  const int previous = (world.rank() + world.size() - 1) % world.size();
  world.all_reduce(a, b, sum);
  world.reduce(a, b, sum, 0);
  world.broadcast(b, 0);
  world.all_gather(small, b);
  world.reduce_scatter(a, small, sum);
  world.gather(small, b, 0);
  world.scatter(a, small, 0);
  world.all_to_all(a, b);
  world.scan(a, b, sum);
  world.exclusive_scan(a, b, sum);
  world.send_recv(a, next, b, previous);
  world.run({send(a, next), recv(b, previous)});
  world.start(all_reduce(a, max)).wait();
  world.plan(barrier()).run();
}

TEST_F(Isolation, WildcardReceivesOfTheApplicationSeeNothing) {
  int received = -1;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(&received, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
  every_operation(world_);
  const Communicator child = world_.split(0);
  int done = 1;
  MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  EXPECT_EQ(done, 0) << "the application received a message of the library's";
  MPI_Barrier(MPI_COMM_WORLD);  // or a neighbour's message below might be here already
  const int sent = 1234 + rank();
  MPI_Send(&sent, 1, MPI_INT, (rank() + 1) % size(), 77, MPI_COMM_WORLD);
  MPI_Status status{};
  MPI_Wait(&request, &status);
  EXPECT_EQ(received, 1234 + (rank() + size() - 1) % size());
  EXPECT_EQ(status.MPI_TAG, 77);
}

// Counts the copies of an attribute: a duplicate that copies attributes runs the user's callbacks.
int copies = 0;
int copy_attribute(MPI_Comm, int, void*, void* in, void* out, int* flag) {
  ++copies;
  *static_cast<void**>(out) = in;
  *flag = 1;
  return MPI_SUCCESS;
}

TEST_F(Isolation, HandlersAndAttributesStay) {
  MPI_Comm mine = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &mine);
  int key = MPI_KEYVAL_INVALID, value = 42;
  MPI_Comm_create_keyval(copy_attribute, MPI_COMM_NULL_DELETE_FN, &key, nullptr);
  MPI_Comm_set_attr(mine, key, &value);
  MPI_Errhandler before = MPI_ERRHANDLER_NULL, after = MPI_ERRHANDLER_NULL;
  MPI_Comm_set_errhandler(mine, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_get_errhandler(mine, &before);
  {
    const Communicator communicator(mine);
    expect_works(communicator);
    MPI_Errhandler inside = MPI_ERRHANDLER_NULL;
    MPI_Comm_get_errhandler(communicator.mpi(), &inside);
    EXPECT_EQ(inside, MPI_ERRORS_RETURN) << "or no error would ever come back";
    MPI_Errhandler_free(&inside);
  }
  MPI_Comm_get_errhandler(mine, &after);
  EXPECT_EQ(before, after);
  void* found = nullptr;
  int flag = 0;
  MPI_Comm_get_attr(mine, key, &found, &flag);
  EXPECT_TRUE(flag != 0 && found == &value && value == 42);
  EXPECT_EQ(copies, 0) << "the application's attribute callbacks ran";
  MPI_Comm_free_keyval(&key);
  MPI_Comm_free(&mine);
}

// Style habit 9: an error of MPI's inside the duplicate comes back as a code.
TEST_F(Isolation, MpiErrorsOnTheDuplicateComeBack) {
  int value = 0;
  const int code = MPI_Bcast(&value, 1, MPI_INT, size() + 5, world_.mpi());
  EXPECT_NE(code, MPI_SUCCESS);
  expect_works(world_);
}

}  // namespace
}  // namespace tutti::test
