#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "tutti/detail/export.hpp"
#include "tutti/device.hpp"
#include "tutti/memory.hpp"

namespace tutti {

class Communicator;

/// Where a Buffer's memory lies when it is not a device's.
enum class HostMemory {
  pageable,
  pinned,  ///< copied to and from devices faster; pageable where there is no CUDA
};

namespace detail {

/// Owns a Buffer's bytes.
class TUTTI_API BufferMemory {
 public:
  BufferMemory() = default;
  BufferMemory(std::size_t bytes, Device device);
  BufferMemory(std::size_t bytes, HostMemory kind);
  BufferMemory(std::size_t bytes, const Communicator& communicator);
  BufferMemory(BufferMemory&& other) noexcept { swap(other); }
  BufferMemory& operator=(BufferMemory&& other) noexcept {
    swap(other);
    return *this;
  }
  ~BufferMemory();
  void swap(BufferMemory& other) noexcept;
  void* data() const noexcept { return data_; }
  Device device() const noexcept { return device_; }
  void read(std::size_t offset, void* to, std::size_t bytes) const;
  void write(std::size_t offset, const void* from, std::size_t bytes);

 private:
  enum class Source : unsigned char { none, heap, shareable, pinned, cuda, nccl };
  void allocate_host(std::size_t bytes);
  void allocate_device(std::size_t bytes, bool by_nccl);
  void* data_ = nullptr;
  Device device_;
  Source source_ = Source::none;
  std::shared_ptr<void> registration_;
};

}  // namespace detail

/// `size` elements of memory for operations, uninitialised: on a device, or on the host. With no
/// device, as `Communicator::device()` is on a machine without GPUs, it is host memory, so that one
/// program runs on both. Large host memory is such that the other ranks of the node can reach it: a
/// long all_reduce on Buffers of all ranks works on it without a copy; a forked child shares it with
/// its parent. Movable. Must outlive the operations on it; may outlive its communicator.
template <class T>
class Buffer {
 public:
  static_assert(is_element_v<T>,
                "tutti: the element type of this buffer is not in tutti::DataType");
  using element_type = T;
  using value_type = T;

  Buffer() = default;
  Buffer(std::size_t size, Device device) : memory_(size * sizeof(T), device), size_(size) {}
  explicit Buffer(std::size_t size, HostMemory kind = HostMemory::pageable)
      : memory_(size * sizeof(T), kind), size_(size) {}
  /// On the communicator's device, allocated by NCCL where it can, and registered with NCCL while
  /// both live, which can make operations on it faster.
  Buffer(std::size_t size, const Communicator& communicator)
      : memory_(size * sizeof(T), communicator), size_(size) {}
  Buffer(Buffer&& other) noexcept
      : memory_(std::move(other.memory_)), size_(std::exchange(other.size_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    memory_ = std::move(other.memory_);
    std::swap(size_, other.size_);
    return *this;
  }

  T* data() noexcept { return static_cast<T*>(memory_.data()); }
  const T* data() const noexcept { return static_cast<const T*>(memory_.data()); }
  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  /// None: host memory.
  Device device() const noexcept { return memory_.device(); }

  /// Copies `count` elements from and to host memory, at `offset`, which lie inside; done on
  /// return, after what is on the legacy default stream.
  void write(const T* from, std::size_t count, std::size_t offset = 0) {
    memory_.write(offset * sizeof(T), from, count * sizeof(T));
  }
  void read(T* to, std::size_t count, std::size_t offset = 0) const {
    memory_.read(offset * sizeof(T), to, count * sizeof(T));
  }

 private:
  detail::BufferMemory memory_;
  std::size_t size_ = 0;
};

}  // namespace tutti
