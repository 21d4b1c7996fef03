#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/activity.hpp"

/// The file in which a rank's last operations survive its process: a header and a ring of records,
/// in the machine's own byte order, written through shared memory. tutti-trace reads it.
namespace tutti::record_file {

inline constexpr char magic[8] = {'T', 'U', 'T', 'T', 'I', 'R', 'E', 'C'};
inline constexpr std::uint32_t version = 1;
inline constexpr std::uint32_t capacity = 1024;

enum class State : std::uint8_t { begun, done, failed, refused };

/// Its first six letters, the first one lowest.
struct BackendName {
  BackendName() = default;
  explicit BackendName(std::string_view name) noexcept {
    for (std::size_t i = 0; i < name.size() && i < letters; ++i)
      word |= std::uint64_t{static_cast<unsigned char>(name[i])} << 8 * i;
  }
  bool operator==(const BackendName&) const = default;

  static constexpr std::size_t letters = 6;
  std::uint64_t word = 0;
};

/// What changes while a call is going on, in one word: whoever reads it, whenever, finds a whole.
struct Course {
  explicit Course(std::uint64_t word) noexcept
      : verb(static_cast<Verb>(word & 0xffU)), state(static_cast<State>(word >> 8U & 0xffU)) {
    for (std::size_t i = 0; i < BackendName::letters; ++i)
      backend[i] = static_cast<char>(word >> (16 + 8 * i) & 0xffU);
  }

  static std::uint64_t begun(Verb verb) noexcept { return static_cast<std::uint64_t>(verb); }
  static std::uint64_t served_by(std::uint64_t word, BackendName name) noexcept {
    return (word & 0xffffU) | name.word << 16U;
  }
  static std::uint64_t ended(std::uint64_t word, State state) noexcept {
    return (word & ~std::uint64_t{0xff00}) | static_cast<std::uint64_t>(state) << 8U;
  }

  Verb verb;
  State state;
  char backend[BackendName::letters + 1] = {};
};

/// One call of a verb.
struct Record {
  /// From 1, of all the process' calls; 0 while the record is being written.
  std::atomic<std::uint64_t> number;
  std::uint64_t communicator;
  std::uint64_t step;  ///< the collective call that this is, or comes after, in its communicator
  std::int64_t begin;  ///< in ticks
  std::atomic<std::int64_t> end;  ///< likewise; 0 until then
  PackedActivity activity;
  std::int32_t rank;  ///< in the communicator
  std::int32_t size;
  std::atomic<std::uint64_t> course;
};
static_assert(sizeof(Record) == 80);

/// A moment in ticks and in nanoseconds since 1970.
struct Anchor {
  std::int64_t ticks;
  std::int64_t wall;
};

struct Header {
  char magic[8];
  std::uint32_t version;
  std::uint32_t record_size;
  std::uint32_t capacity;
  std::int32_t process;
  std::int32_t world_rank;
  std::int32_t world_size;
  Anchor opened;
  Anchor alive;  ///< the last moment at which the process was known to run, apart from its calls
  std::atomic<std::uint64_t> newest;  ///< number of the last record that was begun
  char host[256];
  char ended[64];         ///< how: "exit", "signal 15"; empty while it runs, or if it was killed
  char last_error[2048];  ///< text of the last error that broke a communicator
};
/// Nanoseconds since 1970.
inline std::int64_t wall_time(const Header& header, std::int64_t ticks) noexcept {
  const auto passed = static_cast<double>(header.alive.ticks - header.opened.ticks);
  const double rate =
      passed > 0 ? static_cast<double>(header.alive.wall - header.opened.wall) / passed : 1;
  return header.opened.wall +
         static_cast<std::int64_t>(static_cast<double>(ticks - header.opened.ticks) * rate);
}

inline constexpr std::size_t header_size = 4096;
static_assert(sizeof(Header) <= header_size);

inline constexpr std::size_t file_size = header_size + capacity * sizeof(Record);

}  // namespace tutti::record_file
