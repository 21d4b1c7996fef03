#include "core/fork_guard.hpp"

#include <pthread.h>

#include <atomic>

namespace tutti {

namespace {
std::atomic<int> forks{0};
const int registered = pthread_atfork(nullptr, nullptr, [] { ++forks; });
}  // namespace

int forks_since_start() noexcept {
  static_cast<void>(registered);
  return forks.load(std::memory_order_relaxed);
}

}  // namespace tutti
