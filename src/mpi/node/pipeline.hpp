#pragma once

#include <algorithm>
#include <cstring>

#include "core/streaming_copy.hpp"
#include "mpi/node/team.hpp"

namespace tutti::mpi::node {

using CopyFunction = void (*)(void* to, const void* from, std::size_t bytes) noexcept;

inline void copy_bytes(void* to, const void* from, std::size_t bytes) noexcept {
  if (bytes != 0 && to != from) std::memcpy(to, from, bytes);
}

/// `offset` bytes into `memory`; where a rank has none, because nothing of it is moved, null.
template <class Byte>
Byte* at(Byte* memory, std::size_t offset) noexcept {
  return memory == nullptr ? nullptr : memory + offset;
}

inline CopyFunction copy_or_stream(bool streams) noexcept {
  return streams ? streaming_copy : copy_bytes;
}

/// Bytes of each of `parts` parts of a large slot. A slot of two ranks is best left small, so that
/// it stays in the nearest caches; among many, each part should be worth its wait.
inline std::size_t part_bytes(std::size_t parts) noexcept {
  const std::size_t slot =
      std::clamp<std::size_t>(parts * 8 * 1024, Lane::narrow_bytes, Lane::large_bytes);
  return slot / std::max<std::size_t>(parts, 1) / line_bytes * line_bytes;
}

/// How data is cut into what fits a slot, equal on all ranks; and how this rank copies.
struct Cut {
  Channel& channel;
  std::uint64_t steps;
  std::size_t most;  ///< bytes of a piece
  std::size_t used;  ///< bytes of a slot, of all parts together
  CopyFunction into_slot = copy_bytes;
  CopyFunction into_result = copy_bytes;

  /// Data of `bytes` bytes for each of `parts` receivers, who each find theirs in every slot; a
  /// rank alone has none. `touched`: how many bytes this rank reads and writes in all; 0: its
  /// result is where its data was, in the caches still.
  static Cut of(Team& team, std::size_t bytes, std::size_t parts, std::size_t touched) {
    if (bytes * parts <= team.small().slot_bytes()) return {team.small(), 1, bytes, bytes * parts};
    team.calibrate_if_due();
    const std::size_t most = part_bytes(parts);
    return {team.input(),
            (bytes + most - 1) / most,
            most,
            most * parts,
            copy_or_stream(team.caches_apart()),
            copy_or_stream(team.exceeds_caches(touched))};
  }

  /// The length of piece i of a block of `bytes` bytes, which may end before it.
  std::size_t length(std::size_t bytes, std::uint64_t i) const noexcept {
    const std::size_t begin = i * most;
    return begin < bytes ? std::min(most, bytes - begin) : 0;
  }
};

/// Every rank writes a slot each step and reads those of others. It is ahead with its writing, so
/// that nobody waits for a slot that is being written.
///   write(i, slot)      fills this rank's slot of step i
///   read(i, slot_of)    takes what others wrote; slot_of(r) waits for rank r's slot
template <class Write, class Read>
void pipeline(Team& team, const Cut& cut, const Write& write, const Read& read) {
  Channel& channel = cut.channel;
  const std::uint64_t first = channel.take(cut.steps, cut.used);
  const std::uint64_t ahead = team.steps_ahead(channel);
  std::uint64_t written = 0;
  for (std::uint64_t i = 0; i < cut.steps; ++i) {
    for (; written < std::min(cut.steps, i + ahead + 1); ++written) {
      team.make_room(channel, first + written);
      write(written, team.slot(channel, team.rank(), first + written, cut.used));
      team.publish(channel, first + written);
    }
    read(i, [&](int r) -> const std::byte* {
      team.await(channel, r, first + i);
      return team.slot(channel, r, first + i, cut.used);
    });
    team.finish(channel, first + i);
  }
}

/// Some ranks write, others read, and no writer waits for anything but room. So a writer is soon
/// some operations ahead: the lines of short messages are asked for before they are needed.
///   write(i, slot), read(i, slot_of) as above; one of them is called, by `writes`
template <class Write, class Read>
void stream(Team& team, const Cut& cut, bool writes, const Write& write, const Read& read) {
  Channel& channel = cut.channel;
  const std::uint64_t first = channel.take(cut.steps, cut.used);
  const std::size_t expected = cut.used == cut.most ? cut.used : 0;  // not where readers have parts
  for (std::uint64_t i = 0; i < cut.steps; ++i) {
    if (writes) {
      team.make_room(channel, first + i);
      write(i, team.slot(channel, team.rank(), first + i, cut.used));
      team.publish(channel, first + i);
      team.expect_to_write(channel, first + i + 1, expected);
    } else {
      read(i, [&](int r) -> const std::byte* {
        if (team.await(channel, r, first + i))
          team.expect_to_read(channel, r, first + i + 1, expected);
        return team.slot(channel, r, first + i, cut.used);
      });
    }
    team.finish(channel, first + i);
  }
}

/// Calls `visit` with every other rank, beginning after this one, so that not all ask the same.
template <class Visit>
void for_each_other(const Team& team, const Visit& visit) {
  for (int step = 1; step < team.size(); ++step) visit((team.rank() + step) % team.size());
}

/// Each rank tells all others one value: `hear(r, value)` takes rank r's.
template <class Value, class Hear>
void tell_each_other(Team& team, const Value& own, const Hear& hear) {
  const auto as_bytes = [](auto& value) { return static_cast<void*>(&value); };
  pipeline(
      team, Cut::of(team, sizeof own, 1, 0),
      [&](std::uint64_t, std::byte* slot) { std::memcpy(slot, &own, sizeof own); },
      [&](std::uint64_t, const auto& slot_of) {
        for_each_other(team, [&](int r) {
          Value theirs{};
          std::memcpy(as_bytes(theirs), slot_of(r), sizeof theirs);
          hear(r, theirs);
        });
      });
}

/// Where a slot of `writer` has a part for each other rank: the one that `reader` finds there.
template <class Pointer>
Pointer part_of(Pointer slot, int writer, int reader, std::size_t most) noexcept {
  return slot + static_cast<std::size_t>(reader < writer ? reader : reader - 1) * most;
}

}  // namespace tutti::mpi::node
