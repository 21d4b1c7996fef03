#pragma once

#include <mpi.h>

#include <cstddef>

#include "tutti/reduce_op.hpp"

namespace tutti::mpi {

/// MPI's type for elements of `size` bytes: 1, 2, 4, 8 or 16. MPI moves bytes and never computes,
/// so the size is all that it is told; nothing rests on the optional types that some MPIs lack.
MPI_Datatype wire_type(std::size_t size);

/// tutti's arithmetic as an MPI operation; MPI_OP_NULL where partial results need more than the
/// data's type (see `combine_function`).
MPI_Op wire_op(ReduceOp::Kind kind, DataType type);

}  // namespace tutti::mpi
