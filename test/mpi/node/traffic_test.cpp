// What collectives hand to MPI, counted in front of it: nothing where all ranks share a node, and
// between nodes every byte once.
#include <algorithm>
#include <numeric>

#include "support/communicators.hpp"

namespace {

constexpr int node_size = 2;  // ranks of a pretended node

struct Traffic {
  int calls = 0;
  std::size_t sent_to_other_nodes = 0;
};
Traffic* counted = nullptr;  // by the thread that makes all calls

bool spans_nodes(MPI_Comm comm) {
  MPI_Group group, world;
  PMPI_Comm_group(comm, &group);
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  int n = 0;
  PMPI_Group_size(group, &n);
  std::vector<int> ranks(static_cast<std::size_t>(n)), in_world(ranks.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  PMPI_Group_translate_ranks(group, n, ranks.data(), world, in_world.data());
  PMPI_Group_free(&group);
  PMPI_Group_free(&world);
  const auto elsewhere = [&](int r) { return r / node_size != in_world[0] / node_size; };
  return std::any_of(in_world.begin(), in_world.end(), elsewhere);
}

/// A call in which this rank hands `n` elements to the ranks of `comm`, if it `sends`.
void count(MPI_Comm comm, bool sends, int n, MPI_Datatype type) {
  if (counted == nullptr) return;
  ++counted->calls;
  int bytes = 0;
  PMPI_Type_size(type, &bytes);
  if (sends && spans_nodes(comm))
    counted->sent_to_other_nodes += static_cast<std::size_t>(n) * static_cast<std::size_t>(bytes);
}

void count_call() {
  if (counted != nullptr) ++counted->calls;
}

int rank_in(MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  return rank;
}

}  // namespace

// All that tutti's host collectives are made of. MPI_Iprobe is left out: a rank that waits for long
// lets MPI move on.
extern "C" {
int MPI_Allreduce(const void* in, void* out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  count(comm, true, n, type);
  return PMPI_Allreduce(in, out, n, type, op, comm);
}
int MPI_Reduce(const void* in, void* out, int n, MPI_Datatype type, MPI_Op op, int root,
               MPI_Comm comm) {
  count(comm, rank_in(comm) != root, n, type);
  return PMPI_Reduce(in, out, n, type, op, root, comm);
}
int MPI_Bcast(void* data, int n, MPI_Datatype type, int root, MPI_Comm comm) {
  count(comm, rank_in(comm) == root, n, type);
  return PMPI_Bcast(data, n, type, root, comm);
}
int MPI_Allgatherv(const void* in, int n, MPI_Datatype in_type, void* out, const int* counts,
                   const int* offsets, MPI_Datatype type, MPI_Comm comm) {
  count(comm, true, counts[rank_in(comm)], type);
  return PMPI_Allgatherv(in, n, in_type, out, counts, offsets, type, comm);
}
int MPI_Allgather(const void* in, int n, MPI_Datatype in_type, void* out, int n_out,
                  MPI_Datatype type, MPI_Comm comm) {
  count(comm, true, n_out, type);
  return PMPI_Allgather(in, n, in_type, out, n_out, type, comm);
}
int MPI_Iallreduce(const void* in, void* out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   MPI_Request* request) {
  count(comm, true, n, type);
  return PMPI_Iallreduce(in, out, n, type, op, comm, request);
}
int MPI_Ibcast(void* data, int n, MPI_Datatype type, int root, MPI_Comm comm,
               MPI_Request* request) {
  count(comm, rank_in(comm) == root, n, type);
  return PMPI_Ibcast(data, n, type, root, comm, request);
}
int MPI_Isend(const void* data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  count(comm, true, n, type);
  return PMPI_Isend(data, n, type, to, tag, comm, request);
}
int MPI_Irecv(void* data, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request* request) {
  count_call();
  return PMPI_Irecv(data, n, type, from, tag, comm, request);
}
int MPI_Barrier(MPI_Comm comm) {
  count_call();
  return PMPI_Barrier(comm);
}
int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
  count_call();
  return PMPI_Ibarrier(comm, request);
}
int MPI_Test(MPI_Request* request, int* done, MPI_Status* status) {
  count_call();
  return PMPI_Test(request, done, status);
}
int MPI_Waitall(int n, MPI_Request* requests, MPI_Status* statuses) {
  count_call();
  return PMPI_Waitall(n, requests, statuses);
}
}

namespace tutti::test {
namespace {

template <class Call>
Traffic traffic_of(const Call& call) {
  Traffic traffic;
  counted = &traffic;
  call();
  counted = nullptr;
  return traffic;
}

/// Few and many bytes, and what does not divide.
constexpr std::size_t all_counts[] = {1, 100, 4099, 262144};

class NodeTraffic : public OnWorld {
 protected:
  static Options pretending(std::size_t ranks_of_a_node) {
    Options options;
    options.node_size = ranks_of_a_node;
    return options;
  }

  int node() const { return rank() / node_size; }

  /// Bytes that this rank's node hands to MPI calls which reach other nodes.
  template <class Call>
  int sent_by_node(const Call& call) {
    const auto own = static_cast<int>(traffic_of(call).sent_to_other_nodes);
    std::vector<int> all(ranks());
    PMPI_Allgather(&own, 1, MPI_INT, all.data(), 1, MPI_INT, MPI_COMM_WORLD);
    int sent = 0;
    for (int r = 0; r < size(); ++r)
      if (r / node_size == node()) sent += all[static_cast<std::size_t>(r)];
    return sent;
  }
};

TEST_F(NodeTraffic, WithinANodeIsNone) {
  std::vector<float> some(100, 1), many(100000, 1), all(100 * ranks()), from_all(all.size());
  const auto each_collective = [&] {
    for (std::vector<float>* data : {&some, &many}) {
      world_.all_reduce(*data, sum);
      world_.reduce(*data, sum, 0);
      world_.broadcast(*data, 0);
      world_.scan(*data, *data, sum);
    }
    world_.all_gather(some, all);
    world_.gather(some, all, 0);
    world_.scatter(all, some, 0);
    world_.reduce_scatter(all, some, sum);
    world_.all_to_all(all, from_all);
    world_.barrier();
  };
  each_collective();
  EXPECT_EQ(traffic_of(each_collective).calls, 0);
}

TEST_F(NodeTraffic, AllReduceSendsEachByteOnce) {
  const Communicator comm(MPI_COMM_WORLD, pretending(node_size));
  for (const std::size_t count : all_counts) {
    std::vector<float> data(count, 1);
    for (int turn = 0; turn < 2; ++turn) {
      std::fill(data.begin(), data.end(), 1.0F);
      const int sent = sent_by_node([&] { comm.all_reduce(data, sum); });
      EXPECT_EQ(data, std::vector<float>(count, static_cast<float>(size())));
      if (turn == 0) continue;  // makes the shared memory
      EXPECT_EQ(sent, static_cast<int>(count * sizeof(float)));
    }
  }
}

TEST_F(NodeTraffic, ReduceAndBroadcastSendEachByteOnce) {
  const Communicator comm(MPI_COMM_WORLD, pretending(node_size));
  comm.barrier();
  for (const std::size_t count : all_counts)
    for (int root = 0; root < size(); ++root) {
      const auto bytes = static_cast<int>(count * sizeof(float));
      const bool here = root / node_size == node();
      std::vector<float> data(count, 1), result(count);
      EXPECT_EQ(sent_by_node([&] { comm.reduce(data, result, sum, root); }), here ? 0 : bytes);
      const int wanted = rank() == root ? size() : 0;
      EXPECT_EQ(result.back(), static_cast<float>(wanted));
      EXPECT_EQ(sent_by_node([&] { comm.broadcast(data, root); }), here ? bytes : 0);
    }
}

TEST_F(NodeTraffic, AllGatherSendsEachBlockOnce) {
  const Communicator comm(MPI_COMM_WORLD, pretending(node_size));
  comm.barrier();
  const int members = std::min(node_size, size() - node() * node_size);
  for (const std::size_t count : all_counts) {
    std::vector<float> own(count, static_cast<float>(rank())), all(count * ranks());
    const int sent = sent_by_node([&] { comm.all_gather(own, all); });
    EXPECT_EQ(sent, members * static_cast<int>(count * sizeof(float)));
    for (int r = 0; r < size(); ++r)
      EXPECT_EQ(all[count * static_cast<std::size_t>(r + 1) - 1], static_cast<float>(r));
  }
}

}  // namespace
}  // namespace tutti::test
