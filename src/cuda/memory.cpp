#include "cuda/memory.hpp"

#include "cuda/functions.hpp"

namespace tutti::cuda {

void* allocate_device(std::size_t bytes) {
  void* memory = nullptr;
  TUTTI_CUDA(cudaMalloc(&memory, bytes));
  return memory;
}

void free_device(void* memory) noexcept {
  if (functions().cudaFree(memory) != cudaSuccess) forget_error();
}

void* allocate_on(StreamHandle stream, std::size_t bytes) {
  void* memory = nullptr;
  TUTTI_CUDA(cudaMallocAsync(&memory, bytes, stream));
  return memory;
}

void free_on(StreamHandle stream, void* memory) noexcept {
  if (functions().cudaFreeAsync(memory, stream) != cudaSuccess) forget_error();
}

void* allocate_pinned(std::size_t bytes) {
  void* memory = nullptr;
  TUTTI_CUDA(cudaHostAlloc(&memory, bytes, cudaHostAllocPortable));
  return memory;
}

void free_pinned(void* memory) noexcept {
  if (functions().cudaFreeHost(memory) != cudaSuccess) forget_error();
}

void copy_on(StreamHandle stream, void* to, const void* from, std::size_t bytes) {
  if (bytes != 0) TUTTI_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream));
}

}  // namespace tutti::cuda
