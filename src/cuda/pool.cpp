#include "cuda/pool.hpp"

#include <map>
#include <mutex>
#include <vector>

#include "cuda/memory.hpp"
#include "cuda/runtime.hpp"

namespace tutti::cuda {

namespace {

constexpr int pinned_key = -1;  // others are device ordinals

void release(int key, std::byte* memory) noexcept {
  key == pinned_key ? free_pinned(memory) : free_device(memory);
}

std::byte* allocate(int key, std::size_t bytes) {
  return static_cast<std::byte*>(key == pinned_key ? allocate_pinned(bytes)
                                                   : allocate_device(bytes));
}

// Kept in powers of two, up to a limit of bytes for each kind and device.
class Pool {
 public:
  std::byte* take(int key, std::size_t bytes) {
    {
      const std::lock_guard lock(mutex_);
      auto& [free, kept] = shelves_[key];
      std::vector<std::byte*>& same = free[bytes];
      if (!same.empty()) {
        std::byte* const memory = same.back();
        same.pop_back();
        kept -= bytes;
        return memory;
      }
    }
    return allocate(key, bytes);
  }

  void give_back(int key, std::byte* memory, std::size_t bytes) noexcept try {
    {
      const std::lock_guard lock(mutex_);
      auto& [free, kept] = shelves_[key];
      if (kept + bytes <= most_kept) {
        free[bytes].push_back(memory);
        kept += bytes;
        return;
      }
    }
    release(key, memory);
  } catch (...) {
    release(key, memory);
  }

 private:
  struct Shelf {
    std::map<std::size_t, std::vector<std::byte*>> free;
    std::size_t kept = 0;
  };
  static constexpr std::size_t most_kept = std::size_t{256} << 20;
  std::mutex mutex_;
  std::map<int, Shelf> shelves_;
};

// Never destroyed, and its memory with the process: by then the driver may be gone.
Pool& pool() {
  static Pool* const it = new Pool;
  return *it;
}

std::size_t size_class(std::size_t bytes) noexcept {
  std::size_t size = 4096;
  while (size < bytes) size *= 2;
  return size;
}

}  // namespace

PooledBuffer::PooledBuffer(PoolKind kind, std::size_t bytes)
    : bytes_(size_class(bytes)), key_(kind == PoolKind::pinned ? pinned_key : current_device()) {
  data_ = pool().take(key_, bytes_);
}

PooledBuffer::~PooledBuffer() {
  if (data_ != nullptr) pool().give_back(key_, data_, bytes_);
}

}  // namespace tutti::cuda
