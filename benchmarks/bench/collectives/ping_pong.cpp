#include "bench/collective.hpp"

namespace tutti::bench {
namespace {

constexpr int tag = 8;

/// The first and the last rank play, which are on different nodes where there are several.
bool plays(const Job& job) {
  return job.rank == 0 || job.rank == job.size - 1;
}
int partner(const Job& job) {
  return job.size - 1 - job.rank;
}

Layout layout(const Job& job) {
  return plays(job) ? whole_array(job) : Layout{};
}

std::vector<Segment> expected(const Job& job) {
  if (!plays(job)) return {};
  return {{.count = job.total, .first = partner(job), .last = partner(job) + 1}};
}

std::vector<Operation> operations(const Job& job, const Ranges& r) {
  if (!plays(job)) return {};
  // NCCL's messages have no tags.
  const int with_tag = r.send.kind == MemoryKind::device ? 0 : tag;
  const Operation out = send(r.send, partner(job), with_tag);
  const Operation back = recv(r.receive, partner(job), with_tag);
  return job.rank == 0 ? std::vector{out, back} : std::vector{back, out};
}

int mpi_send(const MpiCall& c) {
  if (c.blocking()) return MPI_Send(c.send, c.count, c.type, partner(c.job), tag, c.comm);
  const int error = MPI_Isend(c.send, c.count, c.type, partner(c.job), tag, c.comm, c.requests);
  return error != MPI_SUCCESS ? error : MPI_Wait(c.requests, MPI_STATUS_IGNORE);
}

int mpi_receive(const MpiCall& c) {
  if (c.blocking())
    return MPI_Recv(c.receive, c.count, c.type, partner(c.job), tag, c.comm, MPI_STATUS_IGNORE);
  const int error = MPI_Irecv(c.receive, c.count, c.type, partner(c.job), tag, c.comm, c.requests);
  return error != MPI_SUCCESS ? error : MPI_Wait(c.requests, MPI_STATUS_IGNORE);
}

int mpi(const MpiCall& c) {
  if (!plays(c.job)) return MPI_SUCCESS;
  const bool first = c.job.rank == 0;
  const int error = first ? mpi_send(c) : mpi_receive(c);
  if (error != MPI_SUCCESS) return error;
  return first ? mpi_receive(c) : mpi_send(c);
}

}  // namespace

/// `send` and `recv`: a message there and another one back; the time is that of one of them.
const Collective ping_pong_collective{.name = "ping_pong",
                                      .in_place_form = false,
                                      .has_ways = false,
                                      .least_size = 2,
                                      .calls = 2,
                                      .bus_factor = one,
                                      .layout = layout,
                                      .expected = expected,
                                      .operations = operations,
                                      .mpi = mpi};

}  // namespace tutti::bench
