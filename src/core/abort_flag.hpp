#pragma once

#include <atomic>

namespace tutti::detail {

/// Shared by a communicator, what is made from it and its abort handles. Thread-safe.
struct AbortFlag {
  std::atomic<bool> aborted{false};
};

}  // namespace tutti::detail
