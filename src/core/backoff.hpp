#pragma once

#include <sched.h>

namespace tutti {

/// What a waiting loop does between two looks: spins for a while, then lets others run, so that
/// more ranks than cores do not starve one another.
class Backoff {
 public:
  void pause() noexcept {
    constexpr int spins = 256;
    if (++turns_ < spins)
      relax();
    else
      sched_yield();
  }

 private:
  static void relax() noexcept {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
  }
  int turns_ = 0;
};

}  // namespace tutti
