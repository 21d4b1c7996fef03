#include "mpi/calls.hpp"

namespace tutti::mpi {

namespace {

// MPI 3's functions take what they only read as const, but for MPI_IN_PLACE's sake not as ours.
struct Arguments {
  const void* in;
  void* out;
  int count;
  MPI_Datatype wire;
  MPI_Op op;
  int peer;
  const int* counts;         ///< one entry a rank
  const int* displacements;  ///< one entry a rank
};

Arguments arguments(const Step& step, const Schedule& schedule, MPI_Comm comm) {
  Arguments a{step.in, step.out, step.count, step.wire, step.op, step.peer, nullptr, nullptr};
  if (step.kind == StepKind::all_gather_uneven || step.kind == StepKind::reduce_scatter_uneven) {
    int size = 0;
    TUTTI_MPI(MPI_Comm_size(comm, &size));
    a.counts = &schedule.ints[step.first];
    a.displacements = a.counts + size;
  }
  return a;
}

}  // namespace

void call(const Step& step, const Schedule& schedule, MPI_Comm comm) {
  const Arguments a = arguments(step, schedule, comm);
  switch (step.kind) {
    case StepKind::broadcast:
      TUTTI_MPI(MPI_Bcast(a.out, a.count, a.wire, a.peer, comm));
      return;
    case StepKind::all_reduce:
      TUTTI_MPI(MPI_Allreduce(a.in, a.out, a.count, a.wire, a.op, comm));
      return;
    case StepKind::reduce:
      TUTTI_MPI(MPI_Reduce(a.in, a.out, a.count, a.wire, a.op, a.peer, comm));
      return;
    case StepKind::reduce_scatter:
      TUTTI_MPI(MPI_Reduce_scatter_block(a.in, a.out, a.count, a.wire, a.op, comm));
      return;
    case StepKind::reduce_scatter_uneven:
      TUTTI_MPI(MPI_Reduce_scatter(a.in, a.out, a.counts, a.wire, a.op, comm));
      return;
    case StepKind::all_gather:
      TUTTI_MPI(MPI_Allgather(a.in, a.count, a.wire, a.out, a.count, a.wire, comm));
      return;
    case StepKind::all_gather_uneven:
      TUTTI_MPI(
          MPI_Allgatherv(a.in, a.count, a.wire, a.out, a.counts, a.displacements, a.wire, comm));
      return;
    case StepKind::gather:
      TUTTI_MPI(MPI_Gather(a.in, a.count, a.wire, a.out, a.count, a.wire, a.peer, comm));
      return;
    case StepKind::scatter:
      TUTTI_MPI(MPI_Scatter(a.in, a.count, a.wire, a.out, a.count, a.wire, a.peer, comm));
      return;
    case StepKind::all_to_all:
      TUTTI_MPI(MPI_Alltoall(a.in, a.count, a.wire, a.out, a.count, a.wire, comm));
      return;
    case StepKind::scan:
      TUTTI_MPI(MPI_Scan(a.in, a.out, a.count, a.wire, a.op, comm));
      return;
    case StepKind::exclusive_scan:
      TUTTI_MPI(MPI_Exscan(a.in, a.out, a.count, a.wire, a.op, comm));
      return;
    case StepKind::barrier:
      TUTTI_MPI(MPI_Barrier(comm));
      return;
    case StepKind::send:
    case StepKind::receive:
    case StepKind::copy:
    case StepKind::fold:
    case StepKind::divide:
      break;
  }
  __builtin_unreachable();
}

MPI_Request begin(const Step& step, const Schedule& schedule, MPI_Comm comm) {
  const Arguments a = arguments(step, schedule, comm);
  MPI_Request r = MPI_REQUEST_NULL;
  switch (step.kind) {
    case StepKind::broadcast:
      TUTTI_MPI(MPI_Ibcast(a.out, a.count, a.wire, a.peer, comm, &r));
      return r;
    case StepKind::all_reduce:
      TUTTI_MPI(MPI_Iallreduce(a.in, a.out, a.count, a.wire, a.op, comm, &r));
      return r;
    case StepKind::reduce:
      TUTTI_MPI(MPI_Ireduce(a.in, a.out, a.count, a.wire, a.op, a.peer, comm, &r));
      return r;
    case StepKind::reduce_scatter:
      TUTTI_MPI(MPI_Ireduce_scatter_block(a.in, a.out, a.count, a.wire, a.op, comm, &r));
      return r;
    case StepKind::reduce_scatter_uneven:
      TUTTI_MPI(MPI_Ireduce_scatter(a.in, a.out, a.counts, a.wire, a.op, comm, &r));
      return r;
    case StepKind::all_gather:
      TUTTI_MPI(MPI_Iallgather(a.in, a.count, a.wire, a.out, a.count, a.wire, comm, &r));
      return r;
    case StepKind::all_gather_uneven:
      TUTTI_MPI(MPI_Iallgatherv(a.in, a.count, a.wire, a.out, a.counts, a.displacements, a.wire,
                                comm, &r));
      return r;
    case StepKind::gather:
      TUTTI_MPI(MPI_Igather(a.in, a.count, a.wire, a.out, a.count, a.wire, a.peer, comm, &r));
      return r;
    case StepKind::scatter:
      TUTTI_MPI(MPI_Iscatter(a.in, a.count, a.wire, a.out, a.count, a.wire, a.peer, comm, &r));
      return r;
    case StepKind::all_to_all:
      TUTTI_MPI(MPI_Ialltoall(a.in, a.count, a.wire, a.out, a.count, a.wire, comm, &r));
      return r;
    case StepKind::scan:
      TUTTI_MPI(MPI_Iscan(a.in, a.out, a.count, a.wire, a.op, comm, &r));
      return r;
    case StepKind::exclusive_scan:
      TUTTI_MPI(MPI_Iexscan(a.in, a.out, a.count, a.wire, a.op, comm, &r));
      return r;
    case StepKind::barrier:
      TUTTI_MPI(MPI_Ibarrier(comm, &r));
      return r;
    case StepKind::send:
      TUTTI_MPI(MPI_Isend(a.in, a.count, a.wire, a.peer, step.tag, comm, &r));
      return r;
    case StepKind::receive:
      TUTTI_MPI(MPI_Irecv(a.out, a.count, a.wire, a.peer, step.tag, comm, &r));
      return r;
    case StepKind::copy:
    case StepKind::fold:
    case StepKind::divide:
      break;
  }
  __builtin_unreachable();
}

}  // namespace tutti::mpi
