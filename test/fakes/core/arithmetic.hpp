#pragma once

#include "core/nccl_api.hpp"

#include <array>
#include <cstddef>

namespace fake {

/** Bytes of one element, 0 for a type that does not exist. */
std::size_t type_size(ncclDataType_t type);

/** A reduction: a built-in one, or a pre-multiplied sum with its scalar. */
struct Reduction {
  ncclRedOp_t op = ncclSum;             // ncclNumOps stands for any pre-multiplied sum
  std::array<char, 8> scalar{};         // in the data's type
  const void* device_scalar = nullptr;  // read while the collective runs
  ncclDataType_t type = ncclInt8;       // of the scalar
};

/** What NCCL does to each rank's input before it is combined: avg and pre-multiplied sums. */
void prepare(void* data, std::size_t count, ncclDataType_t type, const Reduction& reduction,
             int ranks);

/** accumulator = accumulator op input, rounding to the type at each step. */
void combine(void* accumulator, const void* input, std::size_t count, ncclDataType_t type,
             const Reduction& reduction);

/** What follows the last combine: the division of an integer average. */
void finish(void* data, std::size_t count, ncclDataType_t type, const Reduction& reduction,
            int ranks);

}  // namespace fake
