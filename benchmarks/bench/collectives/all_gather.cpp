#include "bench/collective.hpp"

namespace tutti::bench {
namespace {

Layout layout(const Job& job) {
  return {.send = job.own_count(),
          .receive = job.total,
          .data = job.total,
          .send_at = job.own_offset()};
}

std::vector<Operation> operations(const Job& job, const Ranges& r) {
  if (job.uneven)
    return {all_gather(r.send, job.in_place ? r.data : r.receive, Blocks(job.counts))};
  return {job.in_place ? all_gather(r.data) : all_gather(r.send, r.receive)};
}

int uneven(const MpiCall& c) {
  return c.blocking()
             ? MPI_Allgatherv(c.in(), c.count, c.type, c.out(), c.counts, c.offsets, c.type, c.comm)
             : MPI_Iallgatherv(c.in(), c.count, c.type, c.out(), c.counts, c.offsets, c.type,
                               c.comm, c.requests);
}

int mpi(const MpiCall& c) {
  if (c.job.uneven) return uneven(c);
  return c.blocking() ? MPI_Allgather(c.in(), c.count, c.type, c.out(), c.count, c.type, c.comm)
                      : MPI_Iallgather(c.in(), c.count, c.type, c.out(), c.count, c.type, c.comm,
                                       c.requests);
}

}  // namespace

const Collective all_gather_collective{.name = "all_gather",
                                       .blocks = true,
                                       .uneven_form = true,
                                       .bus_factor = others_share,
                                       .layout = layout,
                                       .expected = every_block,
                                       .operations = operations,
                                       .mpi = mpi};

}  // namespace tutti::bench
