#include "bench/collective.hpp"

namespace tutti::bench {
namespace {

Layout layout(const Job& job) {
  return {.send = job.total, .receive = job.is_root() ? job.total : 0, .data = job.total};
}

std::vector<Segment> expected(const Job& job) {
  if (job.is_root()) return reduction_everywhere(job);
  // In place, the other ranks' data is only sent.
  if (job.in_place)
    return {{.count = job.total, .first = job.rank, .last = job.rank + 1, .moved = true}};
  return {};
}

std::vector<Operation> operations(const Job& job, const Ranges& r) {
  const ReduceOp op = reduction(job.op);
  return {job.in_place ? reduce(r.data, op, job.root) : reduce(r.send, r.receive, op, job.root)};
}

int mpi(const MpiCall& c) {
  const void* const in = c.job.is_root() ? c.in() : c.send;
  return c.blocking()
             ? MPI_Reduce(in, c.out(), c.count, c.type, c.op, c.job.root, c.comm)
             : MPI_Ireduce(in, c.out(), c.count, c.type, c.op, c.job.root, c.comm, c.requests);
}

}  // namespace

const Collective reduce_collective{.name = "reduce",
                                   .reduces = true,
                                   .rooted = true,
                                   .bus_factor = one,
                                   .layout = layout,
                                   .expected = expected,
                                   .operations = operations,
                                   .mpi = mpi};

}  // namespace tutti::bench
