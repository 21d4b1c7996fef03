#pragma once

#include <memory>

#include "bench/collective.hpp"
#include "bench/memory.hpp"
#include "bench/pattern.hpp"

namespace tutti::bench {

/// Bytes of memory that a job needs on this rank.
std::size_t bytes_needed(const Job& job);

/// A job's memory on this rank, used by all contenders alike.
class Workspace {
 public:
  /// @throws std::bad_alloc
  Workspace(const Job& job, const Memory& memory);

  const Ranges& ranges() const noexcept { return ranges_; }

  /// Poisons what is received into and writes what is sent.
  void fill(Pattern& pattern);
  /// Elements of the result that are not what they should be.
  std::size_t count_wrong(Pattern& pattern) const;

 private:
  void poison_all(Buffer& buffer, std::size_t count) const;

  const Job& job_;
  Layout layout_;
  bool one_buffer_;
  std::unique_ptr<Buffer> first_;   ///< what is sent, or the one buffer
  std::unique_ptr<Buffer> second_;  ///< what is received
  Ranges ranges_;
};

}  // namespace tutti::bench
