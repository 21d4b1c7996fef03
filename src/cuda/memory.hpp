#pragma once

#include <cstddef>

#include "cuda/stream.hpp"

namespace tutti::cuda {

enum class MemoryType { pageable, pinned, device, managed };

struct Placement {
  MemoryType type = MemoryType::pageable;
  int device = -1;  ///< of device and managed memory
};

/// Asks the driver where a pointer lies. Makes no context.
Placement placement_of(const void* pointer);

/// False as long as nobody in this process can have device memory: then every pointer is the
/// host's, and nothing is asked. Costs a load or two; never opens a library.
bool device_memory_possible() noexcept;

void* allocate_device(std::size_t bytes);
void free_device(void* memory) noexcept;
/// In the order of a stream; also while it is being captured.
void* allocate_on(StreamHandle stream, std::size_t bytes);
void free_on(StreamHandle stream, void* memory) noexcept;
void* allocate_pinned(std::size_t bytes);
void free_pinned(void* memory) noexcept;

/// In the order of a stream; both sides may be host or device memory.
void copy_on(StreamHandle stream, void* to, const void* from, std::size_t bytes);

}  // namespace tutti::cuda
