#pragma once

#include <algorithm>
#include <bit>

#include "mpi/node/lane.hpp"

namespace tutti::mpi::node {

/// A ring of slots in each rank's lane. Ranks count its steps alike, whether they take part in a
/// step or not: step s uses slot s modulo the number of slots, in the lane of whoever writes. Steps
/// that need a fraction of a slot only, at most `narrow_bytes`, may use another fraction each time
/// that they come to it, so that a writer gets further ahead.
class Channel {
 public:
  struct Geometry {
    std::size_t flags;  ///< offset in the lane
    std::size_t data;
    std::size_t done;
    std::size_t slots;  ///< a power of two, as the next
    std::size_t fractions;
    std::size_t slot_bytes;
    std::size_t narrow_bytes;
    std::size_t stride;
  };

  Channel(std::byte* lanes, std::size_t lane_bytes, const Geometry& geometry) noexcept
      : lanes_(lanes),
        lane_bytes_(lane_bytes),
        geometry_(geometry),
        slot_bits_(std::countr_zero(geometry.slots)) {}

  std::size_t slot_bytes() const noexcept { return geometry_.slot_bytes; }

  /// Reserves steps of slots with `bytes` bytes, and returns the first.
  std::uint64_t take(std::uint64_t steps, std::size_t bytes) noexcept {
    const std::uint64_t first = last_ + 1;
    last_ += steps;
    narrow_ = bytes <= geometry_.narrow_bytes;
    if (!narrow_) last_wide_ = last_;
    return first;
  }
  std::uint64_t last() const noexcept { return last_; }
  /// How many places the steps taken last use in turn.
  std::uint64_t places() const noexcept {
    return narrow_ ? geometry_.slots * geometry_.fractions : geometry_.slots;
  }
  /// The last step that every rank has to have finished before one writes the slot of `step`.
  std::uint64_t last_before(std::uint64_t step) const noexcept {
    const std::uint64_t same_place = step > places() ? step - places() : 0;
    return narrow_ ? std::max(same_place, last_wide_) : same_place;
  }

  Flag& flag(int rank, std::uint64_t step) const noexcept {
    const std::size_t flags = geometry_.slots * geometry_.fractions;
    return reinterpret_cast<Flag*>(lane(rank) + geometry_.flags)[step & (flags - 1)];
  }
  /// Of a step that was taken last.
  std::byte* data(int rank, std::uint64_t step) const noexcept {
    const std::size_t fraction = narrow_ ? step >> slot_bits_ & (geometry_.fractions - 1) : 0;
    return lane(rank) + geometry_.data + (step & (geometry_.slots - 1)) * geometry_.stride +
           fraction * geometry_.narrow_bytes;
  }
  std::atomic<std::uint64_t>& done(int rank) const noexcept {
    return *reinterpret_cast<std::atomic<std::uint64_t>*>(lane(rank) + geometry_.done);
  }

  /// The last step that every rank is known to have finished reading.
  std::uint64_t known_done = 0;

 private:
  std::byte* lane(int rank) const noexcept {
    return lanes_ + static_cast<std::size_t>(rank) * lane_bytes_;
  }

  std::byte* lanes_;
  std::size_t lane_bytes_;
  Geometry geometry_;
  int slot_bits_;
  bool narrow_ = true;
  std::uint64_t last_ = 0;
  std::uint64_t last_wide_ = 0;
};

}  // namespace tutti::mpi::node
