#pragma once

#include <span>
#include <tutti/tutti.hpp>
#include <vector>

#include "row_partition.hpp"

namespace cg {

/// A vector that every rank holds whole, and of which each rank computes the block of its own rows.
/// The exchange is planned once, since a solver does it in every iteration.
class ReplicatedVector {
 public:
  /// Zero. Collective. `partition` must outlive it.
  ReplicatedVector(const tutti::Communicator& world, const RowPartition& partition)
      : whole_(partition.rows()),
        own_(std::span(whole_).subspan(partition.first(world.rank()),
                                       partition.count(world.rank()))),
        exchange_(world.plan(tutti::all_gather(own_, whole_, tutti::Blocks(partition.counts())))) {}

  ReplicatedVector(const ReplicatedVector&) = delete;
  ReplicatedVector& operator=(const ReplicatedVector&) = delete;

  std::span<double> own() noexcept { return own_; }
  /// Holds the other ranks' blocks as of the last `exchange`.
  std::span<const double> whole() const noexcept { return whole_; }

  /// Collective: every rank's own block reaches all ranks. The own block lies where the result
  /// wants it, so that nothing is copied on the way.
  void exchange() { exchange_.run(); }

 private:
  std::vector<double> whole_;
  std::span<double> own_;  // of whole_
  tutti::Plan exchange_;
};

}  // namespace cg
