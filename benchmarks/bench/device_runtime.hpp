#pragma once

#include <tutti/device.hpp>

#include <cstddef>

namespace tutti::bench {

/// A CUDA stream of a device, for what tutti is given and what the raw library is called with. Uses
/// the CUDA runtime that tutti opened.
class DeviceStream {
 public:
  /// @throws Error (library, cuda)
  explicit DeviceStream(Device device);
  DeviceStream(const DeviceStream&) = delete;
  DeviceStream& operator=(const DeviceStream&) = delete;
  ~DeviceStream();
  cudaStream_t handle() const noexcept { return handle_; }
  void synchronise() const;

 private:
  cudaStream_t handle_ = nullptr;
};

/// Makes it the calling thread's current device.
void use_device(Device device);
/// Free bytes of the current device.
std::size_t free_device_memory();

}  // namespace tutti::bench
