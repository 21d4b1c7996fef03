#pragma once

#include <cstddef>
#include <vector>

#include "support/area.hpp"
#include "tutti/memory.hpp"

namespace tutti::test {

/// Device memory of the device of this rank: that of its local rank, or the only one.
Allocator& device_allocator();

/// A vector's values in device memory, while it lives.
template <class T>
class OnDevice {
 public:
  explicit OnDevice(const std::vector<T>& values)
      : size_(values.size()), data_(static_cast<T*>(device_allocator().allocate(bytes()))) {
    device_allocator().copy_in(data_, values.data(), bytes());
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  ~OnDevice() { device_allocator().release(data_); }

  DeviceSpan<T> span() const { return {data_, size_}; }
  T* data() const { return data_; }
  std::vector<T> values() const {
    std::vector<T> result(size_);
    device_allocator().copy_out(result.data(), data_, bytes());
    return result;
  }

 private:
  std::size_t bytes() const { return size_ * sizeof(T); }
  std::size_t size_;
  T* data_;
};

}  // namespace tutti::test
