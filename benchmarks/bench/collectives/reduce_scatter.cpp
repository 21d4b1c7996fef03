#include "bench/collective.hpp"

namespace tutti::bench {
namespace {

Layout layout(const Job& job) {
  return {.send = job.total,
          .receive = job.own_count(),
          .data = job.total,
          .receive_at = job.own_offset()};
}

std::vector<Segment> expected(const Job& job) {
  const std::size_t at = job.own_offset();
  const std::size_t end = at + job.own_count();
  if (!job.in_place)
    return {{.count = job.own_count(), .first = 0, .last = job.size, .source = at}};
  // Around the result the rank's own data is as it was.
  const int own = job.rank;
  return {{.at = 0, .count = at, .first = own, .last = own + 1, .source = 0, .moved = true},
          {.at = at, .count = job.own_count(), .first = 0, .last = job.size, .source = at},
          {.at = end,
           .count = job.total - end,
           .first = own,
           .last = own + 1,
           .source = end,
           .moved = true}};
}

std::vector<Operation> operations(const Job& job, const Ranges& r) {
  const ReduceOp op = reduction(job.op);
  if (job.uneven) return {reduce_scatter(r.send, r.receive, op, Blocks(job.counts))};
  return {job.in_place ? reduce_scatter(r.data, op) : reduce_scatter(r.send, r.receive, op)};
}

int uneven(const MpiCall& c) {
  return c.blocking()
             ? MPI_Reduce_scatter(c.in(), c.out(), c.counts, c.type, c.op, c.comm)
             : MPI_Ireduce_scatter(c.in(), c.out(), c.counts, c.type, c.op, c.comm, c.requests);
}

/// In place, MPI leaves the result at the front of the buffer and the rest undefined.
int mpi(const MpiCall& c) {
  if (c.job.uneven) return uneven(c);
  return c.blocking() ? MPI_Reduce_scatter_block(c.in(), c.out(), c.count, c.type, c.op, c.comm)
                      : MPI_Ireduce_scatter_block(c.in(), c.out(), c.count, c.type, c.op, c.comm,
                                                  c.requests);
}

}  // namespace

const Collective reduce_scatter_collective{.name = "reduce_scatter",
                                           .reduces = true,
                                           .blocks = true,
                                           .uneven_form = true,
                                           .uneven_in_place_form = false,
                                           .bus_factor = others_share,
                                           .layout = layout,
                                           .expected = expected,
                                           .operations = operations,
                                           .mpi = mpi};

}  // namespace tutti::bench
