#include "bench/collective.hpp"

namespace tutti::bench {
namespace {

std::vector<Operation> operations(const Job& job, const Ranges& r) {
  const ReduceOp op = reduction(job.op);
  return {job.in_place ? all_reduce(r.data, op) : all_reduce(r.send, r.receive, op)};
}

int mpi(const MpiCall& c) {
  return c.blocking() ? MPI_Allreduce(c.in(), c.out(), c.count, c.type, c.op, c.comm)
                      : MPI_Iallreduce(c.in(), c.out(), c.count, c.type, c.op, c.comm, c.requests);
}

}  // namespace

const Collective all_reduce_collective{.name = "all_reduce",
                                       .reduces = true,
                                       .bus_factor = there_and_back,
                                       .layout = whole_array,
                                       .expected = reduction_everywhere,
                                       .operations = operations,
                                       .mpi = mpi};

}  // namespace tutti::bench
