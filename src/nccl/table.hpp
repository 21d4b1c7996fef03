#pragma once

#include "nccl/functions.hpp"
#include "tutti/backend.hpp"

namespace tutti::nccl {

/// `count` elements as NCCL is told of them: types that NCCL lacks are moved as bytes.
struct Wire {
  ncclDataType_t type = ncclUint8;
  std::size_t per_element = 1;  ///< wire elements of one element
};

/// What all ranks of a communicator can do.
struct Abilities {
  int version = 0;
  int capability = 0;  ///< the lowest of all devices
  int ranks = 0;
};

/// Any type, for movement.
Wire movement_wire(DataType type) noexcept;

/// How NCCL reduces: its type, and its operator unless that is made for the call.
struct Reduction {
  Wire wire;
  ncclRedOp_t op = ncclSum;
  bool pre_multiplied = false;
};

/// Whether NCCL does what the operation asks for with tutti's arithmetic, and if not, why.
Support supported(const Operation& operation, const Abilities& abilities);
/// For an operation that is supported.
Reduction reduction_of(const Operation& operation) noexcept;

bool reduces(OperationKind kind) noexcept;
bool is_point_to_point(OperationKind kind) noexcept;

}  // namespace tutti::nccl
