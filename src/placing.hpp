#pragma once

#include <array>
#include <cstdint>

#include "cuda/memory.hpp"
#include "dispatch.hpp"
#include "tutti/error.hpp"
#include "tutti/operation.hpp"

namespace tutti {

/// Addresses said to be device memory, and found to be. The driver's answer takes a tenth of what
/// NCCL takes to enqueue an operation, so it is asked once for memory that is used again. A check
/// of what the caller says may be skipped; where nothing is said, an answer that was true before
/// the memory was freed would send the operation the wrong way, so there it is never taken.
class CheckedMemory {
 public:
  bool holds(const void* address) const noexcept { return slots_[slot(address)] == address; }
  /// Nothing is left to check of an operation on device memory.
  bool holds(const Operation& operation) const noexcept {
    return operation.tag == 0 && holds(operation.send) && holds(operation.receive);
  }
  void add(const void* address) noexcept { slots_[slot(address)] = address; }

 private:
  bool holds(const MemoryView& side) const noexcept {
    return !side.given || (side.kind == MemoryKind::device && holds(side.data));
  }
  // Allocations begin at multiples of 256 bytes, blocks within them anywhere.
  static std::size_t slot(const void* address) noexcept {
    constexpr std::uint64_t golden = 0x9e3779b97f4a7c15U;
    return reinterpret_cast<std::uintptr_t>(address) * golden >> 58U;
  }
  std::array<const void*, 64> slots_{};
};

inline bool said_to_be_on_device(const Operation& operation) noexcept {
  return operation.send.kind == MemoryKind::device || operation.receive.kind == MemoryKind::device;
}

/// Whether where an operation's memory lies must be found out or checked. As long as no CUDA driver
/// is in the process, memory that nothing is said about is the host's, at the cost of a few loads.
inline bool needs_placing(const Operation& operation, const CheckedMemory& checked) noexcept {
  return said_to_be_on_device(operation) ? !checked.holds(operation)
                                         : cuda::device_memory_possible();
}

/// Sets the kind of memory that nothing is said about: device and managed memory are the device's,
/// everything else, pinned memory too, the host's. Checks memory that is said to be the device's,
/// unless it was checked before.
/// @throws Error (invalid_argument) if it is pageable host memory or another device's, and for a
///         tag on device memory.
void place(Operation& operation, CheckedMemory& checked, const Dispatch& dispatch, int rank,
           int size);

}  // namespace tutti
