#include "bench/collective.hpp"

namespace tutti::bench {
namespace {

constexpr int tag = 7;

int next(const Job& job) {
  return (job.rank + 1) % job.size;
}
int previous(const Job& job) {
  return (job.rank + job.size - 1) % job.size;
}

std::vector<Segment> expected(const Job& job) {
  return {{.count = job.total, .first = previous(job), .last = previous(job) + 1}};
}

std::vector<Operation> operations(const Job& job, const Ranges& r) {
  // NCCL's messages have no tags.
  const int with_tag = r.send.kind == MemoryKind::device ? 0 : tag;
  return {send_recv(r.send, next(job), r.receive, previous(job), with_tag)};
}

int mpi(const MpiCall& c) {
  const int to = next(c.job);
  const int from = previous(c.job);
  if (c.blocking())
    return MPI_Sendrecv(c.send, c.count, c.type, to, tag, c.receive, c.count, c.type, from, tag,
                        c.comm, MPI_STATUS_IGNORE);
  const int error = MPI_Irecv(c.receive, c.count, c.type, from, tag, c.comm, &c.requests[0]);
  return error != MPI_SUCCESS ? error
                              : MPI_Isend(c.send, c.count, c.type, to, tag, c.comm, &c.requests[1]);
}

}  // namespace

/// Each rank sends to the next one of a ring and receives from the one before.
const Collective send_recv_collective{.name = "send_recv",
                                      .in_place_form = false,
                                      .has_ways = false,
                                      .bus_factor = one,
                                      .layout = whole_array,
                                      .expected = expected,
                                      .operations = operations,
                                      .mpi = mpi};

}  // namespace tutti::bench
