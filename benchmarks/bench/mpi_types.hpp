#pragma once

#include <mpi.h>
#include <tutti/reduce_op.hpp>

namespace tutti::bench {

/// MPI's own type; for those that MPI does not know, a type of as many bytes, good for movement.
MPI_Datatype mpi_type(DataType type) noexcept;

/// The reduction that MPI defines itself on `type`; MPI_OP_NULL where the standard has none.
MPI_Op mpi_op(ReduceOp::Kind kind, DataType type) noexcept;

}  // namespace tutti::bench
