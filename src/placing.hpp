#pragma once

#include <array>
#include <cstdint>

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

/// Addresses said to be device memory, and found to be. The driver's answer takes a tenth of what
/// NCCL takes to enqueue an operation, so it is asked once for memory that is used again. A check
/// of what the caller says may be skipped; where nothing is said, an answer that was true before
/// the memory was freed would send the operation the wrong way, so there it is never taken.
class CheckedMemory {
 public:
  bool holds(const void* address) const noexcept { return slots_[slot(address)] == address; }
  void add(const void* address) noexcept { slots_[slot(address)] = address; }

 private:
  // Allocations begin at multiples of 256 bytes, blocks within them anywhere.
  static std::size_t slot(const void* address) noexcept {
    constexpr std::uint64_t golden = 0x9e3779b97f4a7c15U;
    return reinterpret_cast<std::uintptr_t>(address) * golden >> 58U;
  }
  std::array<const void*, 64> slots_{};
};

/// Sets the kind of memory that nothing is said about: device and managed memory are the device's,
/// everything else, pinned memory too, the host's. Checks memory that is said to be the device's,
/// unless it was checked before.
/// @throws Error (invalid_argument) if it is pageable host memory or another device's, and for a
///         tag on device memory.
void place(Operation& operation, CheckedMemory& checked, const Dispatch& dispatch, int rank,
           int size);

}  // namespace tutti
