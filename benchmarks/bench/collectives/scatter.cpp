#include "bench/collective.hpp"

namespace tutti::bench {
namespace {

Layout layout(const Job& job) {
  const bool root = job.is_root();
  return {.send = root ? job.total : 0,
          .receive = job.own_count(),
          .data = root ? job.total : job.own_count(),
          .receive_at = root ? job.own_offset() : 0};
}

std::vector<Segment> expected(const Job& job) {
  const int root = job.root;
  if (job.in_place && job.is_root()) return {{.count = job.total, .first = root, .last = root + 1}};
  return {{.count = job.own_count(), .first = root, .last = root + 1, .source = job.own_offset()}};
}

std::vector<Operation> operations(const Job& job, const Ranges& r) {
  SendView in = r.send;
  if (!job.is_root()) in = {};
  return {job.uneven ? scatter(in, r.receive, job.root, Blocks(job.counts))
                     : scatter(in, r.receive, job.root)};
}

int mpi(const MpiCall& c) {
  const bool in_place = c.job.in_place && c.job.is_root();
  void* const out = in_place ? MPI_IN_PLACE : c.receive;
  const int root = c.job.root;
  if (c.job.uneven)
    return c.blocking() ? MPI_Scatterv(c.send, c.counts, c.offsets, c.type, out, c.count, c.type,
                                       root, c.comm)
                        : MPI_Iscatterv(c.send, c.counts, c.offsets, c.type, out, c.count, c.type,
                                        root, c.comm, c.requests);
  return c.blocking() ? MPI_Scatter(c.send, c.count, c.type, out, c.count, c.type, root, c.comm)
                      : MPI_Iscatter(c.send, c.count, c.type, out, c.count, c.type, root, c.comm,
                                     c.requests);
}

}  // namespace

const Collective scatter_collective{.name = "scatter",
                                    .rooted = true,
                                    .blocks = true,
                                    .uneven_form = true,
                                    .bus_factor = others_share,
                                    .layout = layout,
                                    .expected = expected,
                                    .operations = operations,
                                    .mpi = mpi};

}  // namespace tutti::bench
