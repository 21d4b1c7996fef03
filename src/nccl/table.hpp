#pragma once

#include <cstdint>
#include <string>

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

/// What keeps NCCL from doing an operation with tutti's arithmetic.
enum class Obstacle : std::uint8_t {
  none,
  scan,
  tag,
  type,
  float8,
  float8_on_one_rank,
  boolean,
  complex_product,
  order_of_floats,
  mean_of_integers,
  kind,
  user_function,
  complex_scalar,
  type_of_scalar,
};

/// Asked on the way of every operation; the words, where it matters why.
Obstacle obstacle_to(const Operation& operation, const Abilities& abilities) noexcept;
std::string words_of(Obstacle obstacle, const Operation& operation, const Abilities& abilities);
inline Support supported(const Operation& operation, const Abilities& abilities) {
  const Obstacle obstacle = obstacle_to(operation, abilities);
  return {obstacle == Obstacle::none, words_of(obstacle, operation, abilities)};
}
/// For an operation that is supported.
Reduction reduction_of(const Operation& operation) noexcept;

bool reduces(OperationKind kind) noexcept;
bool is_point_to_point(OperationKind kind) noexcept;

}  // namespace tutti::nccl
