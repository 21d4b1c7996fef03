#pragma once

#include "mpi/node/lane.hpp"

namespace tutti::mpi::node {

/// A ring of slots in each rank's lane. Ranks count its steps alike, whether they take part in a
/// step or not: step s uses slot s modulo the number of slots, in the lane of whoever writes.
class Channel {
 public:
  struct Geometry {
    std::size_t flags;  ///< offset in the lane
    std::size_t data;
    std::size_t done;
    std::size_t slots;  ///< a power of two
    std::size_t slot_bytes;
    std::size_t stride;
  };

  Channel(std::byte* lanes, std::size_t lane_bytes, const Geometry& geometry) noexcept
      : lanes_(lanes), lane_bytes_(lane_bytes), geometry_(geometry) {}

  std::size_t slot_bytes() const noexcept { return geometry_.slot_bytes; }
  std::size_t slots() const noexcept { return geometry_.slots; }

  /// Reserves steps and returns the first.
  std::uint64_t take(std::uint64_t steps) noexcept {
    const std::uint64_t first = last_ + 1;
    last_ += steps;
    return first;
  }
  std::uint64_t last() const noexcept { return last_; }

  Flag& flag(int rank, std::uint64_t step) const noexcept {
    return reinterpret_cast<Flag*>(lane(rank) + geometry_.flags)[step & (geometry_.slots - 1)];
  }
  std::byte* data(int rank, std::uint64_t step) const noexcept {
    return lane(rank) + geometry_.data + (step & (geometry_.slots - 1)) * geometry_.stride;
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
  std::uint64_t last_ = 0;
};

}  // namespace tutti::mpi::node
