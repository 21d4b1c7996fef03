#pragma once

#include <atomic>

struct link_map;

namespace tutti::cuda {

/// Tells whether this process has loaded a library, at the cost of two loads a question: libraries
/// are appended to the loader's list, so as long as the last one known has no successor there is
/// nothing new to look at.
class LibraryWatch {
 public:
  /// Looks for a file name that begins with `prefix`.
  constexpr explicit LibraryWatch(const char* prefix) noexcept : prefix_(prefix) {}
  bool seen() noexcept {
    return seen_.load(std::memory_order_relaxed) || (has_news() && look_further());
  }

 private:
  bool has_news() const noexcept;
  bool look_further() noexcept;

  const char* prefix_;
  std::atomic<bool> seen_{false};
  std::atomic<const link_map*> last_{nullptr};
};

}  // namespace tutti::cuda
