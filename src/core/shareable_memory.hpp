#pragma once

#include <cstddef>
#include <cstdint>

/// Host memory of Buffers that other processes of the same user can map, so that ranks of a node
/// work on one another's data without a copy. Thread-safe.
namespace tutti::shareable {

/// How another process reaches it.
struct Place {
  std::uint64_t id = 0;   ///< unique in this process, 0: not shareable
  std::size_t bytes = 0;  ///< of the whole allocation
  std::size_t offset = 0;
  int file = -1;  ///< a descriptor of this process
};

/// Null where it is too small to be worth it, or cannot be had.
void* allocate(std::size_t bytes) noexcept;
/// `data` as `allocate` gave it.
void release(void* data) noexcept;

/// Where `bytes` bytes from `data` on lie.
Place find(const void* data, std::size_t bytes) noexcept;

/// How many allocations have been released: who mapped them may let go.
std::uint64_t released() noexcept;

}  // namespace tutti::shareable
