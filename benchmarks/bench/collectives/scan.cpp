#include "bench/collective.hpp"

namespace tutti::bench {
namespace {

std::vector<Segment> up_to_own(const Job& job) {
  return {{.count = job.total, .first = 0, .last = job.rank + 1}};
}

/// Rank 0's memory stays as it was, which in place is its own data.
std::vector<Segment> before_own(const Job& job) {
  if (job.in_place && job.rank == 0)
    return {{.count = job.total, .first = 0, .last = 1, .moved = true}};
  return {{.count = job.total, .first = 0, .last = job.rank}};
}

std::vector<Operation> inclusive(const Job& job, const Ranges& r) {
  return {scan(r.send, r.receive, reduction(job.op))};
}

std::vector<Operation> exclusive(const Job& job, const Ranges& r) {
  return {exclusive_scan(r.send, r.receive, reduction(job.op))};
}

int mpi_inclusive(const MpiCall& c) {
  return c.blocking() ? MPI_Scan(c.in(), c.out(), c.count, c.type, c.op, c.comm)
                      : MPI_Iscan(c.in(), c.out(), c.count, c.type, c.op, c.comm, c.requests);
}

int mpi_exclusive(const MpiCall& c) {
  return c.blocking() ? MPI_Exscan(c.in(), c.out(), c.count, c.type, c.op, c.comm)
                      : MPI_Iexscan(c.in(), c.out(), c.count, c.type, c.op, c.comm, c.requests);
}

}  // namespace

// nccl-tests has no scans; like for reduce, the array crosses each link once at least.
const Collective scan_collective{.name = "scan",
                                 .reduces = true,
                                 .averages = false,
                                 .bus_factor = one,
                                 .layout = whole_array,
                                 .expected = up_to_own,
                                 .operations = inclusive,
                                 .mpi = mpi_inclusive};

const Collective exclusive_scan_collective{.name = "exclusive_scan",
                                           .reduces = true,
                                           .averages = false,
                                           .bus_factor = one,
                                           .layout = whole_array,
                                           .expected = before_own,
                                           .operations = exclusive,
                                           .mpi = mpi_exclusive};

}  // namespace tutti::bench
