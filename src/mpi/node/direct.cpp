#include "mpi/node/direct.hpp"

#include <unistd.h>

#include <chrono>
#include <cstring>
#include <new>

#include "mpi/node/calibration.hpp"
#include "mpi/node/fold_pieces.hpp"
#include "mpi/node/peer_memory.hpp"
#include "mpi/node/pipeline.hpp"

// Nobody leaves an operation while others may still read its memory.

namespace tutti::mpi::node {

namespace {

// Of each array at once: they stay in the second-level cache until they are folded.
constexpr std::size_t read_bytes = 256 * 1024;

constexpr std::size_t most_folded_bytes = 1024 * 1024;

template <class Value>
void put(std::byte* slot, const Value& value) noexcept {
  std::memcpy(slot, &value, sizeof value);
}

template <class Value>
Value taken(const std::byte* slot) noexcept {
  Value value;
  std::memcpy(&value, slot, sizeof value);
  return value;
}

}  // namespace

Direct::Direct(Team& team, std::size_t between_trials)
    : team_(team), between_trials_(between_trials), theirs_(team.n()) {}

Direct::Address Direct::address_of(const void* memory, std::size_t bytes) noexcept {
  return is_readable_by_others(memory, bytes) ? reinterpret_cast<std::uintptr_t>(memory) : 0;
}

bool Direct::exchange(Address own) {
  theirs_[static_cast<std::size_t>(team_.rank())] = own;
  tell_each_other(team_, own,
                  [&](int r, Address address) { theirs_[static_cast<std::size_t>(r)] = address; });
  return std::find(theirs_.begin(), theirs_.end(), 0) == theirs_.end();
}

Direct::Address Direct::told_by(int root, Address own) {
  stream(
      team_, Cut::of(team_, sizeof own, 1, 0), team_.rank() == root,
      [&](std::uint64_t, std::byte* slot) { put(slot, own); },
      [&](std::uint64_t, const auto& slot_of) { own = taken<Address>(slot_of(root)); });
  return own;
}

bool Direct::await_others(int root, bool could_read) {
  bool all = could_read;
  stream(
      team_, Cut::of(team_, sizeof could_read, 1, 0), team_.rank() != root,
      [&](std::uint64_t, std::byte* slot) { put(slot, could_read); },
      [&](std::uint64_t, const auto& slot_of) {
        for_each_other(team_, [&](int r) { all = taken<bool>(slot_of(r)) && all; });
      });
  return all;
}

Direct::Address Direct::address_to_try(const void* memory, std::size_t bytes) const noexcept {
  if (team_.size() != 2) return address_of(memory, bytes);
  return bytes == 0 ? 0 : reinterpret_cast<std::uintptr_t>(memory);
}

bool Direct::read(int root, Address there, std::byte* to, std::size_t bytes) {
  if (team_.size() == 2) return team_.try_read(root, there, to, bytes);
  team_.read(root, there, to, bytes);
  return true;
}

void Direct::await_root(int root) {
  stream(
      team_, Cut::of(team_, 0, 1, 0), team_.rank() == root, [](std::uint64_t, std::byte*) {},
      [&](std::uint64_t, const auto& slot_of) { slot_of(root); });
}

// A process of that number in another namespace does not hold this there.
bool Direct::can_read_all() {
  struct Probe {
    std::uintptr_t place;
    std::int64_t process;
    std::int64_t time;
    bool operator==(const Probe&) const = default;
  };
  const Probe own{reinterpret_cast<std::uintptr_t>(this), getpid(),
                  std::chrono::steady_clock::now().time_since_epoch().count()};
  bool all = true;
  struct Told {
    Probe probe;
    Address place;
  };
  const Told told{own, reinterpret_cast<std::uintptr_t>(&own)};
  tell_each_other(team_, told, [&](int r, const Told& theirs) {
    Probe read{};
    all = read_process(team_.process_of(r), theirs.place, &read, sizeof read) &&
          read == theirs.probe && all;
  });
  return exchange(all ? 1 : 0);
}

void Direct::judge() {
  judged_ = true;
  possible_ = can_read_all();
  if (possible_) measure();
}

void Direct::measure() {
  moved_ = 0;
  const bool few = team_.size() <= few_ranks;
  // A trial would take long: an exchange hands a slot over once in a time slice.
  if (team_.yields() && !few) {
    exchange_pays_ = true;
    return;
  }
  if (few) pays_ = reading_beats_slots(team_, *this, Movement::gather);
  // What is handed over once in a time slice is no measure of the other.
  exchange_pays_ =
      few && !team_.yields() ? pays_ : reading_beats_slots(team_, *this, Movement::exchange);
  if (!few) pays_ = exchange_pays_;
}

bool Direct::broadcast(std::byte* data, std::size_t bytes, int root) {
  const bool is_root = team_.rank() == root;
  const Address there = told_by(root, is_root ? address_to_try(data, bytes) : 0);
  if (there == 0) return false;
  return await_others(root, is_root || read(root, there, data, bytes));
}

bool Direct::all_gather(const std::byte* in, std::byte* out, const ByteBlocks& blocks) {
  const std::size_t own = blocks.bytes(team_.rank());
  // An empty block may lie anywhere.
  if (!exchange(own == 0 ? 1 : address_of(in, own))) return false;
  for_each_other(team_, [&](int r) {
    team_.read(r, theirs_[static_cast<std::size_t>(r)], at(out, blocks.offset(r)), blocks.bytes(r));
  });
  copy_bytes(at(out, blocks.offset(team_.rank())), in, own);
  barrier(team_);
  return true;
}

bool Direct::scatter(const std::byte* in, std::byte* out, std::size_t block, int root) {
  const bool is_root = team_.rank() == root;
  const Address there = told_by(root, is_root ? address_of(in, block * team_.n()) : 0);
  if (there == 0) return false;
  const std::size_t offset = static_cast<std::size_t>(team_.rank()) * block;
  if (is_root)
    copy_bytes(out, in + offset, block);
  else
    team_.read(root, there + offset, out, block);
  await_others(root);
  return true;
}

bool Direct::all_to_all(const std::byte* in, std::byte* out, std::size_t block) {
  // A rank in place would overwrite what others read; the rest do not know that it is.
  if (!exchange(in == out ? 0 : address_of(in, block * team_.n()))) return false;
  const std::size_t mine = static_cast<std::size_t>(team_.rank()) * block;
  for_each_other(team_, [&](int r) {
    team_.read(r, theirs_[static_cast<std::size_t>(r)] + mine,
               out + static_cast<std::size_t>(r) * block, block);
  });
  copy_bytes(out + mine, in + mine, block);
  barrier(team_);
  return true;
}

// A rank without memory for them must not leave the others alone.
bool Direct::has_pieces(std::size_t bytes) noexcept try {
  if (pieces_.size() < bytes * team_.n()) pieces_.resize(bytes * team_.n());
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

bool Direct::reduce(const Arithmetic& arithmetic, const std::byte* in, std::byte* out,
                    std::size_t count, int root) {
  const std::size_t bytes = count * arithmetic.element;
  const bool can = team_.rank() != root || has_pieces(read_bytes);
  if (!exchange(can ? address_of(in, bytes) : 0)) return false;
  if (team_.rank() != root) {
    await_root(root);
    return true;
  }
  for (std::size_t done = 0; done < bytes; done += read_bytes) {
    const std::size_t length = std::min(read_bytes, bytes - done);
    team_.arrays()[root] = in + done;
    for_each_other(team_, [&](int r) {
      const auto i = static_cast<std::size_t>(r);
      std::byte* const piece = pieces_.data() + i * read_bytes;
      team_.read(r, theirs_[i] + done, piece, length);
      team_.arrays()[r] = piece;
    });
    // The others go on while the last piece is folded.
    if (done + length == bytes) await_root(root);
    fold_arrays(team_, arithmetic, team_.n(), out + done, length);
  }
  return true;
}

bool Direct::all_reduce(const Arithmetic& arithmetic, const std::byte* in, std::byte* out,
                        std::size_t count) {
  const std::size_t bytes = count * arithmetic.element;
  if (bytes > most_folded_bytes) return false;
  if (!exchange(has_pieces(bytes) ? address_of(in, bytes) : 0)) return false;
  team_.arrays()[team_.rank()] = in;
  for_each_other(team_, [&](int r) {
    const auto i = static_cast<std::size_t>(r);
    std::byte* const piece = pieces_.data() + i * bytes;
    team_.read(r, theirs_[i], piece, bytes);
    team_.arrays()[r] = piece;
  });
  // Who is in place overwrites what others read.
  barrier(team_);
  fold_arrays(team_, arithmetic, team_.n(), out, bytes);
  return true;
}

bool Direct::exclusive_scan(const Arithmetic& arithmetic, const std::byte* in, std::byte* out,
                            std::size_t count) {
  if (team_.size() != 2) return false;
  const std::size_t bytes = count * arithmetic.element;
  const Address there = told_by(0, team_.rank() == 0 ? address_to_try(in, bytes) : 0);
  if (there == 0) return false;
  bool could_read = true;
  for (std::size_t done = 0; team_.rank() == 1 && could_read && done < bytes; done += read_bytes) {
    const std::size_t length = std::min(read_bytes, bytes - done);
    could_read = read(0, there + done, out + done, length);
    team_.arrays()[0] = out + done;
    fold_arrays(team_, arithmetic, 1, out + done, length);
  }
  return await_others(0, could_read);
}

}  // namespace tutti::mpi::node
