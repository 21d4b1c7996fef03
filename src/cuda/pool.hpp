#pragma once

#include <cstddef>
#include <utility>

namespace tutti::cuda {

enum class PoolKind { pinned, device };

/// Memory lent from a pool of the process and returned to it: to pin or to allocate costs more than
/// most operations. Device memory is that of the device that is current when it is made.
class PooledBuffer {
 public:
  PooledBuffer() = default;
  PooledBuffer(PoolKind kind, std::size_t bytes);
  PooledBuffer(PooledBuffer&& other) noexcept { *this = std::move(other); }
  PooledBuffer& operator=(PooledBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    std::swap(key_, other.key_);
    return *this;
  }
  ~PooledBuffer();
  std::byte* data() const noexcept { return data_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
  int key_ = 0;
};

}  // namespace tutti::cuda
