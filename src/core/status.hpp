#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "core/activity.hpp"

namespace tutti {

/// What one rank does on one communicator, as its neighbours see it: a cache line in memory that
/// the processes of a node share, and the line beside it, which processors fetch along with it and
/// so would take from the rank that writes it. Its rank alone writes, with plain stores; who reads
/// may see parts of two calls, which matters to nobody who looks at ranks that wait.
struct alignas(128) Status {
  enum class State : std::uint32_t {
    outside,  ///< of any call
    inside,
    failed,  ///< its last call broke the communicator
    left,    ///< the communicator is destroyed there, or MPI is about to be finalised
  };
  std::atomic<State> state{State::outside};
  std::atomic<std::int32_t> process{0};   ///< its id; 0 until there is one
  std::atomic<std::int32_t> rank{0};      ///< in the communicator
  std::atomic<std::uint32_t> calls{0};    ///< changes with every call
  std::atomic<std::uint64_t> reached{0};  ///< collective calls begun so far
  std::atomic<std::uint64_t> step{0};  ///< the collective call that `activity` is, or comes after
  std::array<std::atomic<std::uint64_t>, 3> activity{};  ///< of the last call
  /// The communicator is broken there; stays so when it has left.
  std::atomic<bool> gave_up{false};

  void store(const PackedActivity& now) noexcept {
    for (std::size_t i = 0; i < activity.size(); ++i)
      activity[i].store(now.words[i], std::memory_order_relaxed);
  }
  PackedActivity load() const noexcept {
    PackedActivity packed{};
    for (std::size_t i = 0; i < activity.size(); ++i)
      packed.words[i] = activity[i].load(std::memory_order_relaxed);
    return packed;
  }
};
static_assert(sizeof(Status) == 128 && std::atomic<std::uint64_t>::is_always_lock_free);

}  // namespace tutti
