#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "tutti/device.hpp"

/// The CUDA runtime, opened at run time. These headers need none of CUDA's; a build without CUDA's
/// headers has unavailable.cpp behind them. Unless said otherwise each function opens the runtime
/// if it is not open yet, and throws Error: `library` if there is none, `cuda` with CUDA's name and
/// text for a failed call, `memory` when memory is short.
namespace tutti::cuda {

/// Why the runtime cannot be used on this machine; empty if it can. Never throws.
const std::string& why_unavailable() noexcept;
/// What was found. Never throws.
LoadedLibrary runtime_library();
/// The CUDA version that the driver supports, "13.0"; empty if there is no driver. Never throws.
std::string driver_version() noexcept;
/// True once the runtime was opened, by whatever call, and has a device. Never opens it.
bool opened() noexcept;

/// Devices that this process sees. No driver and no device are zero devices. Never throws.
int count_devices() noexcept;
/// Why there are none; empty if there are some.
std::string why_no_device();

using Uuid = std::array<unsigned char, 16>;
Uuid uuid_of(int device);
/// "0000:3b:00.0"
std::string bus_id_of(int device);
/// 9 for compute capability 9.0.
int capability_of(int device);
DeviceProperties properties_of(int device);

[[gnu::hot]] int current_device();
void set_current_device(int device);

/// Makes `device` the calling thread's current one and puts the caller's back.
class DeviceGuard {
 public:
  explicit DeviceGuard(int device) : before_(current_device()), changed_(before_ != device) {
    if (changed_) [[unlikely]]
      set_current_device(device);
  }
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;
  ~DeviceGuard() {
    if (changed_) [[unlikely]]
      restore();
  }

 private:
  void restore() noexcept;

  int before_;
  bool changed_;
};

/// Lets this thread allocate while another one captures a stream in CUDA's global mode.
class RelaxedCapture {
 public:
  RelaxedCapture();
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;
  ~RelaxedCapture();

 private:
  int mode_;
};

}  // namespace tutti::cuda
