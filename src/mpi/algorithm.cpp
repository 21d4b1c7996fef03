#include <numeric>

#include "mpi/builder.hpp"
#include "mpi/one_call.hpp"

namespace tutti::mpi {

namespace {

// Below this many bytes in all, one exchange of everything beats two exchanges of slices.
constexpr std::size_t gather_fold_bytes = 64 * 1024;

std::size_t total_count(const Blocks& blocks) noexcept {
  return std::accumulate(blocks.counts(), blocks.counts() + blocks.size(), std::size_t{0});
}

Algorithm reduction_algorithm(const Operation& op, const Session& session, Phases phases) {
  const DataType type = op.send.type;
  const auto n = static_cast<std::size_t>(session.size());
  const bool scatters = op.kind == OperationKind::reduce_scatter;
  const std::size_t count = scatters && op.uneven ? total_count(op.send_blocks) : op.send.count;
  // Blocks lie side by side in one call, so that MPI's counts must hold them all.
  if (combines(op, session) && (!scatters || count <= session.options().max_count))
    return Algorithm::collective;
  if (scatters) return Algorithm::slice_fold;
  const bool small = count * n * size_of(type) <= gather_fold_bytes;
  return small || phases == Phases::one ? Algorithm::gather_fold : Algorithm::slice_fold;
}

}  // namespace

Algorithm algorithm_for(const Operation& op, const Session& session, Phases phases) {
  const std::size_t max = session.options().max_count;
  const auto n = static_cast<std::size_t>(session.size());
  const auto collective_if = [](bool fits) {
    return fits ? Algorithm::collective : Algorithm::messages;
  };
  switch (op.kind) {
    case OperationKind::send:
    case OperationKind::recv:
    case OperationKind::send_recv:
      return Algorithm::messages;
    case OperationKind::barrier:
      return Algorithm::collective;
    default:
      break;
  }
  if (n == 1) return Algorithm::none;
  switch (op.kind) {
    case OperationKind::all_reduce:
    case OperationKind::reduce:
    case OperationKind::reduce_scatter:
    case OperationKind::scan:
    case OperationKind::exclusive_scan:
      return reduction_algorithm(op, session, phases);
    case OperationKind::broadcast:
      return Algorithm::collective;
    case OperationKind::all_gather:
      if (op.uneven) return collective_if(total_count(op.receive_blocks) <= max);
      return collective_if(op.receive.count <= max);
    // Elsewhere only the root, or nobody, knows all counts: MPI's uneven forms could not be left
    // by all ranks alike where a count is too large for them.
    case OperationKind::gather:
      return collective_if(!op.uneven && op.send.count <= max / n);
    case OperationKind::scatter:
      return collective_if(!op.uneven && op.receive.count <= max / n);
    case OperationKind::all_to_all:
      return collective_if(!op.uneven && op.send.count <= max);
    default:
      break;
  }
  __builtin_unreachable();
}

}  // namespace tutti::mpi
