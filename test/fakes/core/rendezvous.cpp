#include "core/rendezvous.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <set>

#include "core/device.hpp"

namespace fake {
namespace {

/** Waits for `ready`; false when aborted. */
template <typename Ready>
bool wait_until(const Comm& comm, Ready&& ready) {
  int spins = 0;
  while (!ready()) {
    if (!comm.pause(&spins)) return false;
  }
  return true;
}

ncclResult_t failed(Comm& comm, ncclResult_t code, const std::string& text) {
  comm.set_last_error(text);
  set_global_error(text);
  return code;
}

std::string two_ranks(int a, int b) {
  return "ranks " + std::to_string(a) + " and " + std::to_string(b);
}

/** The same answer on every rank, because all compare all pairs. */
ncclResult_t check_devices(Comm& comm) {
  for (int a = 0; a < comm.size; ++a) {
    for (int b = a + 1; b < comm.size; ++b) {
      const SharedRank& first = comm.segment->rank(a);
      const SharedRank& second = comm.segment->rank(b);
      if (std::memcmp(first.uuid, second.uuid, sizeof first.uuid) != 0) continue;
      return failed(comm, ncclInvalidUsage,
                    "duplicate GPU: " + two_ranks(a, b) + " both use device " +
                        std::to_string(first.device) + "/" + std::to_string(second.device));
    }
  }
  return ncclSuccess;
}

std::string hexadecimal(const char* bytes, std::size_t count) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

ncclResult_t attach(Comm& comm) {
  std::string why;
  auto segment = Segment::open(comm.name, comm.size, &why);
  if (!segment) return failed(comm, ncclSystemError, why);
  comm.set_segment(segment);
  std::uint32_t ranks = 0;
  const auto size = static_cast<std::uint32_t>(comm.size);
  if (!segment->header().ranks.compare_exchange_strong(ranks, size) && ranks != size) {
    return failed(comm, ncclInvalidArgument,
                  "ranks disagree on their number: " + std::to_string(size) + " here, " +
                      std::to_string(ranks) + " elsewhere");
  }
  SharedRank& mine = segment->rank(comm.rank);
  if (mine.claimed.exchange(1) != 0) {
    return failed(comm, ncclInvalidUsage, "two ranks call themselves " + std::to_string(comm.rank));
  }
  const Uuid uuid = device_uuid(comm.device);
  std::memcpy(mine.uuid, uuid.data(), uuid.size());
  mine.device = comm.device;
  mine.attached.store(1, std::memory_order_release);
  return ncclSuccess;
}

}  // namespace

ncclResult_t join(Comm& comm) {
  const ncclResult_t attached = attach(comm);
  if (attached != ncclSuccess) return attached;
  const bool all = wait_until(comm, [&] {
    for (int i = 0; i < comm.size; ++i) {
      if (comm.segment->rank(i).attached.load(std::memory_order_acquire) == 0) return false;
    }
    return true;
  });
  comm.segment->unlink();  // all are attached, or this communicator will never be whole
  if (!all) return failed(comm, ncclInternalError, "aborted while the ranks came together");
  return check_devices(comm);
}

ncclResult_t split(Comm& parent, int color, int key, Place* place) {
  const std::uint64_t number = ++parent.splits;
  const std::size_t side = number % 2;  // nobody is two splits ahead of anybody
  SharedRank& mine = parent.segment->rank(parent.rank);
  mine.color[side] = color;
  mine.key[side] = key;
  mine.splits.store(number, std::memory_order_release);
  std::vector<std::pair<int, int>> members;
  for (int i = 0; i < parent.size; ++i) {
    SharedRank& other = parent.segment->rank(i);
    if (!wait_until(parent,
                    [&] { return other.splits.load(std::memory_order_acquire) >= number; })) {
      return failed(parent, ncclInternalError, "aborted while splitting");
    }
    if (other.color[side] == color) members.emplace_back(other.key[side], i);
  }
  *place = {};
  if (color == NCCL_SPLIT_NOCOLOR) return ncclSuccess;
  std::sort(members.begin(), members.end());
  const auto me = std::find(members.begin(), members.end(), std::pair(key, parent.rank));
  place->rank = static_cast<int>(me - members.begin());
  place->size = static_cast<int>(members.size());
  place->name = parent.name + "-s" + std::to_string(number) + "c" + std::to_string(color);
  return ncclSuccess;
}

ncclResult_t shrink(Comm& parent, const std::vector<int>& excluded, Place* place) {
  const std::set<int> out(excluded.begin(), excluded.end());
  *place = {};
  place->name = parent.name + "-x" + std::to_string(++parent.splits);
  for (const int rank : out) {
    if (rank < 0 || rank >= parent.size || rank == parent.rank) {
      return failed(parent, ncclInvalidArgument, "a rank to exclude is wrong, or is the caller");
    }
    place->name += "." + std::to_string(rank);
  }
  for (int i = 0; i < parent.rank; ++i) place->rank += out.count(i) == 0 ? 1 : 0;
  place->size = parent.size - static_cast<int>(out.size());
  return ncclSuccess;
}

std::string name_of(const ncclUniqueId& id) {
  // The first bytes hold the prefix with the maker's process, the last ones are random.
  std::string prefix(id.internal, strnlen(id.internal, 64));
  const bool plain = std::all_of(
      prefix.begin() + (prefix.empty() ? 0 : 1), prefix.end(),
      [](char c) { return c == '-' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z'); });
  if (!plain || prefix.rfind("/tutti-fake-", 0) != 0) prefix = "/tutti-fake-0-";
  return prefix + hexadecimal(id.internal + 64, 16);
}

ncclUniqueId make_unique_id() {
  sweep_stale_segments();
  ncclUniqueId id{};
  const std::string prefix = segment_prefix();
  std::memcpy(id.internal, prefix.data(), std::min<std::size_t>(prefix.size(), 63));
  std::random_device random;
  for (std::size_t i = 64; i < sizeof id.internal; ++i) {
    id.internal[i] = static_cast<char>(random() & 0xFF);
  }
  return id;
}

bool claim_id(const std::string& name, int rank) {
  static auto* mutex = new std::mutex;
  static auto* used = new std::set<std::pair<std::string, int>>;
  const std::lock_guard lock(*mutex);
  return used->emplace(name, rank).second;
}

}  // namespace fake
