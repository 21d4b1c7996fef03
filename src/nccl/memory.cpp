#include "nccl/memory.hpp"

#include "nccl/functions.hpp"

namespace tutti::nccl {

void* allocate(std::size_t bytes) noexcept {
  const Functions* const f = functions_or_null();
  void* memory = nullptr;
  if (f == nullptr || f->ncclMemAlloc == nullptr || f->ncclMemAlloc(&memory, bytes) != ncclSuccess)
    return nullptr;
  return memory;
}

void release(void* memory) noexcept {
  static_cast<void>(functions().ncclMemFree(memory));
}

}  // namespace tutti::nccl
