#include "bench/collective.hpp"

namespace tutti::bench {
namespace {

/// Elements that this rank sends, which are as many as it receives: the pairs are symmetric.
std::size_t own_total(const Job& job) {
  return job.pair_offsets.back() + job.pair_counts.back();
}

Layout layout(const Job& job) {
  const std::size_t own = own_total(job);
  return {.send = own, .receive = own, .data = own};
}

std::vector<Segment> expected(const Job& job) {
  std::vector<Segment> segments;
  for (int from = 0; from < job.size; ++from) {
    const auto f = static_cast<std::size_t>(from);
    std::size_t source = 0;
    for (int to = 0; to < job.rank; ++to) source += job.pair(from, to);
    segments.push_back({.at = job.pair_offsets[f],
                        .count = job.pair_counts[f],
                        .first = from,
                        .last = from + 1,
                        .source = source});
  }
  return segments;
}

std::vector<Operation> operations(const Job& job, const Ranges& r) {
  if (job.uneven) {
    const Blocks blocks(job.pair_counts);
    return {all_to_all(r.send, blocks, r.receive, blocks)};
  }
  return {all_to_all(r.send, r.receive)};
}

int uneven(const MpiCall& c) {
  return c.blocking() ? MPI_Alltoallv(c.in(), c.pair_counts, c.pair_offsets, c.type, c.out(),
                                      c.pair_counts, c.pair_offsets, c.type, c.comm)
                      : MPI_Ialltoallv(c.in(), c.pair_counts, c.pair_offsets, c.type, c.out(),
                                       c.pair_counts, c.pair_offsets, c.type, c.comm, c.requests);
}

int mpi(const MpiCall& c) {
  if (c.job.uneven) return uneven(c);
  return c.blocking()
             ? MPI_Alltoall(c.in(), c.count, c.type, c.out(), c.count, c.type, c.comm)
             : MPI_Ialltoall(c.in(), c.count, c.type, c.out(), c.count, c.type, c.comm, c.requests);
}

}  // namespace

const Collective all_to_all_collective{.name = "all_to_all",
                                       .blocks = true,
                                       .uneven_form = true,
                                       .bus_factor = others_share,
                                       .layout = layout,
                                       .expected = expected,
                                       .operations = operations,
                                       .mpi = mpi};

}  // namespace tutti::bench
