#pragma once

#include <cstddef>

#include "mpi/node/choice.hpp"
#include "mpi/node/movement.hpp"
#include "mpi/node/team.hpp"
#include "tutti/operation.hpp"

/// Reductions between the ranks of a node, always in rank order: every rank gets the same bits,
/// whatever the size, and small floats are rounded once.
namespace tutti::mpi::node {

/// How elements are combined, and how many bytes each has.
struct Arithmetic {
  const ReduceOp& op;
  DataType type;
  std::size_t element;
};

/// all_reduce, reduce, scan, exclusive_scan: whose array of `count` elements, one at least, goes
/// into whose result. `way`: whole or sliced, equal on all ranks. `in` may be `out`. `root`: of
/// reduce.
void reduce(Team& team, Way way, OperationKind kind, const Arithmetic& arithmetic,
            const std::byte* in, std::byte* out, std::size_t count, int root);

/// `blocks`: of `in`, in bytes, equal on all ranks; `out` holds this rank's.
void reduce_scatter(Team& team, const Arithmetic& arithmetic, const std::byte* in, std::byte* out,
                    const ByteBlocks& blocks);

}  // namespace tutti::mpi::node
