#include "bench/collective.hpp"

namespace tutti::bench {
namespace {

/// One buffer, in place or not: broadcast knows no other form.
Layout layout(const Job& job) {
  return {.send = job.is_root() ? job.total : 0, .receive = job.total, .data = job.total};
}

std::vector<Segment> expected(const Job& job) {
  return {{.count = job.total, .first = job.root, .last = job.root + 1}};
}

std::vector<Operation> operations(const Job& job, const Ranges& r) {
  return {broadcast(r.data, job.root)};
}

int mpi(const MpiCall& c) {
  return c.blocking() ? MPI_Bcast(c.data, c.count, c.type, c.job.root, c.comm)
                      : MPI_Ibcast(c.data, c.count, c.type, c.job.root, c.comm, c.requests);
}

}  // namespace

const Collective broadcast_collective{.name = "broadcast",
                                      .rooted = true,
                                      .one_buffer = true,
                                      .bus_factor = one,
                                      .layout = layout,
                                      .expected = expected,
                                      .operations = operations,
                                      .mpi = mpi};

}  // namespace tutti::bench
