#include <algorithm>

#include "mpi/builder.hpp"
#include "mpi/wire.hpp"

namespace tutti::mpi {

namespace {

StepKind step_of(OperationKind kind) noexcept {
  if (kind == OperationKind::all_reduce) return StepKind::all_reduce;
  if (kind == OperationKind::reduce) return StepKind::reduce;
  return kind == OperationKind::scan ? StepKind::scan : StepKind::exclusive_scan;
}

// MPICH (4.0.2) copies from MPI_IN_PLACE itself, and crashes, when the root of a longer MPI_Reduce
// in place is not rank 0.
#ifdef MPICH_VERSION
constexpr bool reduces_in_place_anywhere = false;
#else
constexpr bool reduces_in_place_anywhere = true;
#endif

}  // namespace

// all_reduce, reduce, scan and exclusive_scan: elements are independent, so that a long array is
// cut into pieces that MPI can count.
void Builder::combine() {
  const bool gets_result = op_.kind != OperationKind::reduce || is_root();
  // MPI may write what it likes into rank 0's side of an exclusive scan; tutti leaves it alone.
  const bool shielded = op_.kind == OperationKind::exclusive_scan && rank_ == 0;
  const bool aside = !reduces_in_place_anywhere && op_.kind == OperationKind::reduce && is_root() &&
                     op_.root != 0 && in_place();
  // Whether other ranks are in place nobody knows. MPI wants all of them or none, and Open MPI's
  // MPI_Iallreduce sends other messages where it is: then data is lost.
  const bool saved = phases_ == Phases::one && op_.kind == OperationKind::all_reduce && in_place();
  const bool here = in_place() && gets_result && !shielded && !aside && !saved;
  std::byte* const before = saved ? scratch(op_.send.count) : nullptr;
  if (saved) copy(in(0), before, op_.send.count);
  const std::byte* const source = saved ? before : in(0);
  std::byte* const result = aside ? scratch(op_.send.count) : nullptr;
  std::byte* const shield = shielded ? scratch(std::min(max_, op_.send.count)) : nullptr;
  for (std::size_t done = 0; done < op_.send.count; done += max_) {
    const std::size_t piece = std::min(max_, op_.send.count - done);
    std::byte* const target = shielded      ? shield
                              : aside       ? result + done * element_
                              : gets_result ? out(done)
                                            : nullptr;
    collective(step_of(op_.kind), here ? MPI_IN_PLACE : source + done * element_, target, piece,
               op_.root);
    schedule_.steps.back().op = wire_op(op_.op.kind(), type_);
  }
  if (aside) copy(result, out(0), op_.send.count);
  if (op_.op.kind() == ReduceOp::Kind::avg && gets_result) divide(out(0), op_.send.count);
}

void Builder::combine_scatter() {
  // MPI's in-place form would put the result at the front, not at this rank's own block.
  const bool inside = out(0) == in(static_cast<std::size_t>(rank_) * op_.receive.count);
  std::byte* const target = inside ? scratch(op_.receive.count) : out(0);
  collective(StepKind::reduce_scatter, in(0), target, op_.receive.count);
  schedule_.steps.back().op = wire_op(op_.op.kind(), type_);
  if (op_.op.kind() == ReduceOp::Kind::avg) divide(target, op_.receive.count);
  copy(target, out(0), op_.receive.count);
}

// MPI takes packed blocks only.
void Builder::combine_scatter_uneven() {
  const BlockLayout blocks = send_layout();
  std::size_t packed = 0;
  for (int r = 0; r < size_; ++r) packed += blocks.count(r);
  const std::byte* source = in(0);
  if (op_.send_blocks.has_offsets()) {
    std::byte* const together = scratch(packed);
    std::size_t at_packed = 0;
    for (int r = 0; r < size_; ++r) {
      copy(in(blocks.offset(r)), together + at_packed * element_, blocks.count(r));
      at_packed += blocks.count(r);
    }
    source = together;
  }
  const bool inside = source == in(0) && out(0) == in(blocks.offset(rank_));
  std::byte* const target = inside ? scratch(op_.receive.count) : out(0);
  collective(StepKind::reduce_scatter_uneven, source, target, op_.receive.count);
  schedule_.steps.back().op = wire_op(op_.op.kind(), type_);
  schedule_.steps.back().first = schedule_.ints.size();
  for (int r = 0; r < size_; ++r) schedule_.ints.push_back(static_cast<int>(blocks.count(r)));
  if (op_.op.kind() == ReduceOp::Kind::avg) divide(target, op_.receive.count);
  copy(target, out(0), op_.receive.count);
}

}  // namespace tutti::mpi
