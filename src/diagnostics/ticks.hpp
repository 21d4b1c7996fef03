#pragma once

#include <time.h>

#include <cstdint>

namespace tutti {

/// A clock that takes a few nanoseconds to read: the processor's own counter where the kernel
/// itself keeps time by it, otherwise the steady clock. Ticks become times by two anchors.
class Ticks {
 public:
  Ticks() noexcept;

  std::int64_t now() const noexcept {
#if defined(__x86_64__)
    if (counter_) [[likely]]
      return static_cast<std::int64_t>(__builtin_ia32_rdtsc());
#endif
    return steady();
  }
  /// Since 1970, of the system's clock.
  static std::int64_t wall_time() noexcept {
    return nanoseconds(CLOCK_REALTIME);
  }

 private:
  // Apart, so that who reads the counter has no call in its way.
  static std::int64_t steady() noexcept;
  static std::int64_t nanoseconds(clockid_t clock) noexcept {
    timespec time{};
    static_cast<void>(clock_gettime(clock, &time));
    return time.tv_sec * std::int64_t{1000000000} + time.tv_nsec;
  }

  bool counter_ = false;
};

}  // namespace tutti
