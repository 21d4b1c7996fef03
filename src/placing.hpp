#pragma once

#include "cuda/memory.hpp"
#include "dispatch.hpp"
#include "tutti/error.hpp"
#include "tutti/operation.hpp"

namespace tutti {

/// Whether where an operation's memory lies must be found out or checked. As long as no CUDA driver
/// is in the process, memory that nothing is said about is the host's, at the cost of a few loads.
inline bool needs_placing(const Operation& operation) noexcept {
  return operation.send.kind == MemoryKind::device ||
         operation.receive.kind == MemoryKind::device || cuda::device_memory_possible();
}

/// Sets the kind of memory that nothing is said about: device and managed memory are the device's,
/// everything else, pinned memory too, the host's. Checks memory that is said to be the device's.
/// @throws Error (invalid_argument) if it is pageable host memory or another device's.
void place(Operation& operation, const Dispatch& dispatch, int rank, int size);

}  // namespace tutti
