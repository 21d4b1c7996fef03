#include "bench/collective.hpp"

namespace tutti::bench {
namespace {

Layout layout(const Job& job) {
  const bool root = job.is_root();
  return {.send = job.own_count(),
          .receive = root ? job.total : 0,
          .data = root ? job.total : job.own_count(),
          .send_at = root ? job.own_offset() : 0};
}

std::vector<Segment> expected(const Job& job) {
  if (job.is_root()) return every_block(job);
  if (job.in_place) return {{.count = job.own_count(), .first = job.rank, .last = job.rank + 1}};
  return {};
}

std::vector<Operation> operations(const Job& job, const Ranges& r) {
  const ReceiveView out = job.in_place && job.is_root() ? r.data : r.receive;
  return {job.uneven ? gather(r.send, out, job.root, Blocks(job.counts))
                     : gather(r.send, out, job.root)};
}

int mpi(const MpiCall& c) {
  const void* const in = c.job.is_root() ? c.in() : c.send;
  const int root = c.job.root;
  if (c.job.uneven)
    return c.blocking() ? MPI_Gatherv(in, c.count, c.type, c.out(), c.counts, c.offsets, c.type,
                                      root, c.comm)
                        : MPI_Igatherv(in, c.count, c.type, c.out(), c.counts, c.offsets, c.type,
                                       root, c.comm, c.requests);
  return c.blocking()
             ? MPI_Gather(in, c.count, c.type, c.out(), c.count, c.type, root, c.comm)
             : MPI_Igather(in, c.count, c.type, c.out(), c.count, c.type, root, c.comm, c.requests);
}

}  // namespace

const Collective gather_collective{.name = "gather",
                                   .rooted = true,
                                   .blocks = true,
                                   .uneven_form = true,
                                   .bus_factor = others_share,
                                   .layout = layout,
                                   .expected = expected,
                                   .operations = operations,
                                   .mpi = mpi};

}  // namespace tutti::bench
