#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "mpi/node/signature.hpp"

namespace tutti::mpi::node {

/// Bytes between two ranks' words that keep them from sharing a cache line.
inline constexpr std::size_t line_bytes = 64;

static_assert(std::atomic<std::uint64_t>::is_always_lock_free,
              "words in shared memory must be atomic across processes");

/// Announces one slot of a lane: the data is there once `step` is the step that the reader expects.
/// What fits travels in the same cache line.
struct alignas(line_bytes) Flag {
  static constexpr std::size_t room = line_bytes - 2 * sizeof(std::uint64_t);

  std::atomic<std::uint64_t> step;
  Signature signature;
  std::byte data[room];
};
static_assert(sizeof(Flag) == line_bytes);

/// Takes a line that this rank will write next from whoever read it last, without waiting.
inline void claim_line(const void* line) noexcept {
#if defined(__x86_64__)
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(line)));
#else
  __builtin_prefetch(line, 1);
#endif
}

/// Takes a copy of a line that another rank has written, without waiting. Not the compiler's own
/// prefetch: it leaves out a function that does nothing else.
inline void fetch_line(const void* line) noexcept {
#if defined(__x86_64__)
  asm volatile("prefetcht0 %0" : : "m"(*static_cast<const char*>(line)));
#else
  __builtin_prefetch(line);
#endif
}

/// What a message's data takes beside its flag, if it is short: the lines that are worth asking for
/// before it comes. Longer ones were slower so.
inline constexpr std::size_t most_lines_ahead = 8;

inline std::size_t lines_ahead(std::size_t bytes) noexcept {
  const std::size_t lines = (bytes + line_bytes - 1) / line_bytes;
  return bytes <= Flag::room || lines > most_lines_ahead ? 0 : lines;
}

/// One rank's part of the shared memory. Written by that rank alone, read by all.
/// Zero at the start.
struct Lane {
  enum class GaveUp : std::uint64_t {
    no,
    inside,     ///< in an operation in this memory
    elsewhere,  ///< the communicator broke in what does not go through this memory
  };
  /// What the rank is doing: its operations are counted, so that whoever waits can tell a late rank
  /// from one that does something else.
  struct alignas(line_bytes) Presence {
    std::atomic<std::uint64_t> sequence;
    std::atomic<Signature> signature;
    std::atomic<GaveUp> gave_up;
    std::int64_t process;
  };
  /// The last step of each channel whose slots the rank has finished reading.
  struct alignas(line_bytes) Done {
    std::atomic<std::uint64_t> step[3];
  };

  // As many as a writer gets ahead by in a time slice; where every rank has a core, a quarter of
  // them stay in the nearest caches. 4 ranks on 2 cores (AMD EPYC): a scan of 8 bytes took 1.7
  // times as long with that quarter, a broadcast 1.9 times; 16 ranks on 16 cores (Xeon): a reduce
  // of 4 KiB took twice as long with all.
  static constexpr std::size_t small_slots = 128;
  static constexpr std::size_t small_slots_of_cores = small_slots / 4;
  static constexpr std::size_t small_bytes = 8 * 1024;
  // A little more than the data, so that the slots do not compete for the same sets of a cache.
  static constexpr std::size_t small_stride = small_bytes + line_bytes;
  static constexpr std::size_t large_slots = 4;
  static constexpr std::size_t large_bytes = 128 * 1024;
  static constexpr std::size_t large_stride = large_bytes + line_bytes;
  // What passes between two cores does so from the nearest caches of the one to those of the other.
  // Of a long ring the lines that are written next have left the reader's caches by then, and the
  // writer is not held up: 256 KiB through one of 128 KiB took 12 us, of 512 KiB 8 us on an AMD
  // EPYC (512 KiB of second level); 48 and 26 us on a Xeon (2 MiB).
  static constexpr std::size_t narrow_bytes = 32 * 1024;
  static constexpr std::size_t fractions = large_bytes / narrow_bytes;

  Presence presence;
  Done done;
  std::uint64_t cores[16];  ///< those that the rank may run on, a bit each
  Flag small_flags[small_slots];
  Flag input_flags[large_slots * fractions];
  Flag result_flags[large_slots * fractions];
  alignas(4096) std::byte small_data[small_slots * small_stride];
  alignas(4096) std::byte input_data[large_slots * large_stride];
  alignas(4096) std::byte result_data[large_slots * large_stride];
};

static_assert(sizeof(Lane) % 4096 == 0, "lanes lie side by side in whole pages");

}  // namespace tutti::mpi::node
