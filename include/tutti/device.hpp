#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tutti/detail/export.hpp"

// The name that CUDA's own headers give a stream; none of them is needed to pass one on.
struct CUstream_st;
using cudaStream_t = CUstream_st*;

namespace tutti {

/// A CUDA device by its ordinal in this process, or none.
class Device {
 public:
  constexpr Device() noexcept = default;
  constexpr explicit Device(int ordinal) noexcept : ordinal_(ordinal) {}
  /// -1: none.
  constexpr int ordinal() const noexcept { return ordinal_; }
  constexpr explicit operator bool() const noexcept { return ordinal_ >= 0; }
  friend constexpr bool operator==(Device a, Device b) noexcept { return a.ordinal_ == b.ordinal_; }
  friend constexpr bool operator!=(Device a, Device b) noexcept { return !(a == b); }

 private:
  int ordinal_ = -1;
};

/// How many CUDA devices this process sees; 0 where there is no driver, no device or no CUDA
/// runtime. Loads the CUDA runtime; makes no context.
TUTTI_API int device_count() noexcept;

/// What is known of a device without using it.
struct DeviceProperties {
  Device device;
  std::string name;
  std::string uuid;  ///< "GPU-...", as nvidia-smi writes it
  std::string bus_id;
  std::string compute_capability;  ///< "9.0"
  std::size_t memory = 0;          ///< bytes, all of them
};

/// Of the devices that this process sees, by ordinal; none where `device_count()` is 0. Makes no
/// context. @throws Error (cuda)
TUTTI_API std::vector<DeviceProperties> visible_devices();

/// A library that tutti opens at run time.
struct LoadedLibrary {
  std::string path;       ///< empty: none was found
  std::string version;    ///< of what was found; empty: unknown
  std::string built_for;  ///< of the headers; empty in a build without them
  std::string problem;    ///< why it cannot be used; empty: it can
};

struct DeviceLibraries {
  LoadedLibrary runtime;  ///< libcudart
  LoadedLibrary nccl;
  std::string driver;  ///< the CUDA version that the driver supports; empty: there is no driver
};

/// What this process has of them. Opens the libraries; makes no context. Never throws.
TUTTI_API DeviceLibraries device_libraries() noexcept;
/// The same in a line.
TUTTI_API std::string describe_device_libraries();

}  // namespace tutti
