#pragma once

#include <cstddef>

namespace tutti::nccl {

/// Memory that NCCL can use without copying, on the current device; null where NCCL has none to
/// give.
void* allocate(std::size_t bytes) noexcept;
void release(void* memory) noexcept;

}  // namespace tutti::nccl
