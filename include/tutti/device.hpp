#pragma once

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

}  // namespace tutti
