#include "mpi/node/traffic.hpp"

#include <mpi.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace {

using tutti::test::node_size;
using tutti::test::Traffic;

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

/// Elements of all nodes' parts but one's own, in a call in which each of `comm` stands for a node.
int for_others(const int* counts, MPI_Comm comm) {
  int size = 0, rank = 0;
  PMPI_Comm_size(comm, &size);
  PMPI_Comm_rank(comm, &rank);
  return std::accumulate(counts, counts + size, 0) - counts[rank];
}

/// A message, on a communicator of all ranks.
void count_message(MPI_Comm comm, int to, int n, MPI_Datatype type) {
  if (counted == nullptr) return;
  ++counted->calls;
  int rank = 0, bytes = 0;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Type_size(type, &bytes);
  if (to / node_size == rank / node_size) return;
  ++counted->messages_to_other_nodes;
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
int MPI_Reduce_scatter(const void* in, void* out, const int* counts, MPI_Datatype type, MPI_Op op,
                       MPI_Comm comm) {
  count(comm, true, for_others(counts, comm), type);
  return PMPI_Reduce_scatter(in, out, counts, type, op, comm);
}
int MPI_Exscan(const void* in, void* out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  int size = 0;
  PMPI_Comm_size(comm, &size);
  count(comm, rank_in(comm) != size - 1, n, type);
  return PMPI_Exscan(in, out, n, type, op, comm);
}
int MPI_Alltoallv(const void* in, const int* counts, const int* offsets, MPI_Datatype in_type,
                  void* out, const int* out_counts, const int* out_offsets, MPI_Datatype type,
                  MPI_Comm comm) {
  count(comm, true, for_others(counts, comm), in_type);
  return PMPI_Alltoallv(in, counts, offsets, in_type, out, out_counts, out_offsets, type, comm);
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
int MPI_Send(const void* data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  count_message(comm, to, n, type);
  return PMPI_Send(data, n, type, to, tag, comm);
}
int MPI_Recv(void* data, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Status* status) {
  count_call();
  return PMPI_Recv(data, n, type, from, tag, comm, status);
}
int MPI_Sendrecv(const void* in, int n, MPI_Datatype type, int to, int tag, void* out, int n_out,
                 MPI_Datatype type_out, int from, int tag_out, MPI_Comm comm, MPI_Status* status) {
  count_message(comm, to, n, type);
  return PMPI_Sendrecv(in, n, type, to, tag, out, n_out, type_out, from, tag_out, comm, status);
}
int MPI_Isend(const void* data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  count_message(comm, to, n, type);
  return PMPI_Isend(data, n, type, to, tag, comm, request);
}
int MPI_Irecv(void* data, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request* request) {
  count_call();
  return PMPI_Irecv(data, n, type, from, tag, comm, request);
}
int MPI_Scatter(const void* in, int n, MPI_Datatype in_type, void* out, int n_out,
                MPI_Datatype type, int root, MPI_Comm comm) {
  count_call();
  return PMPI_Scatter(in, n, in_type, out, n_out, type, root, comm);
}
int MPI_Alltoall(const void* in, int n, MPI_Datatype in_type, void* out, int n_out,
                 MPI_Datatype type, MPI_Comm comm) {
  count_call();
  return PMPI_Alltoall(in, n, in_type, out, n_out, type, comm);
}
int MPI_Iscatter(const void* in, int n, MPI_Datatype in_type, void* out, int n_out,
                 MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request) {
  count_call();
  return PMPI_Iscatter(in, n, in_type, out, n_out, type, root, comm, request);
}
int MPI_Ialltoall(const void* in, int n, MPI_Datatype in_type, void* out, int n_out,
                  MPI_Datatype type, MPI_Comm comm, MPI_Request* request) {
  count_call();
  return PMPI_Ialltoall(in, n, in_type, out, n_out, type, comm, request);
}
int MPI_Testall(int n, MPI_Request* requests, int* done, MPI_Status* statuses) {
  count_call();
  return PMPI_Testall(n, requests, done, statuses);
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

Traffic traffic_of(const std::function<void()>& call) {
  Traffic traffic;
  counted = &traffic;
  call();
  counted = nullptr;
  return traffic;
}

}  // namespace tutti::test
