#pragma once

#include "core/cuda_api.hpp"

#include <cstddef>
#include <optional>

namespace fake {

/** One block that the fake runtime knows. */
struct Block {
  char* begin;
  std::size_t bytes;
  cudaMemoryType type;
  int device;
  bool registered;  // cudaHostRegister: the caller's memory, not ours

  bool holds(const void* pointer, std::size_t size) const;
};

/** Allocates and remembers; filled with a pattern so that unset memory is noticed. */
cudaError_t allocate(void** pointer, std::size_t bytes, cudaMemoryType type, int device);

/** Frees a block by its first byte; only blocks of `type`, or managed ones for device. */
cudaError_t release(void* pointer, cudaMemoryType type);

cudaError_t register_host(void* pointer, std::size_t bytes, int device);
cudaError_t unregister_host(void* pointer);

/** The block that contains this address. */
std::optional<Block> find_block(const void* pointer);

/** True for bytes that a device may touch: wholly inside one known block, or none at all. */
bool device_may_touch(const void* pointer, std::size_t bytes);

void memory_info(int device, std::size_t* free, std::size_t* total);

}  // namespace fake
