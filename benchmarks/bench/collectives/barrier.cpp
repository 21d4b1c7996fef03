#include "bench/collective.hpp"

namespace tutti::bench {
namespace {

Layout nothing(const Job& /*job*/) {
  return {};
}
std::vector<Segment> no_data(const Job& /*job*/) {
  return {};
}

std::vector<Operation> operations(const Job& /*job*/, const Ranges& /*ranges*/) {
  return {barrier()};
}

int mpi(const MpiCall& c) {
  return c.blocking() ? MPI_Barrier(c.comm) : MPI_Ibarrier(c.comm, c.requests);
}

}  // namespace

const Collective barrier_collective{.name = "barrier",
                                    .in_place_form = false,
                                    .moves_data = false,
                                    .bus_factor = one,
                                    .layout = nothing,
                                    .expected = no_data,
                                    .operations = operations,
                                    .mpi = mpi};

}  // namespace tutti::bench
