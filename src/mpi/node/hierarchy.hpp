#pragma once

#include <memory>
#include <vector>

#include "mpi/node/movement.hpp"
#include "mpi/node/nodes.hpp"
#include "mpi/node/reduction.hpp"
#include "mpi/node/team.hpp"

namespace tutti::mpi::node {

/// Collectives over several nodes: shared memory within each, MPI between them, so that each node
/// sends and receives every byte once. Long arrays are cut into a slice for each leader, and the
/// leaders of one index carry theirs from node to node at the same time.
class Hierarchy {
 public:
  Hierarchy(const Session& session, const Nodes& nodes, Team& team);

  /// Where results are those that MPI alone would give. Equal on all ranks.
  bool serves(const Operation& operation) const noexcept;
  void run(const Operation& operation);

 private:
  void all_reduce(const Operation& op);
  void reduce_to_root(const Operation& op);
  void broadcast_from_root(const Operation& op);
  void gather_to_all(const Operation& op);
  void meet();

  bool leads() const noexcept { return team_.rank() < nodes_.leaders(); }
  /// One slice of `count` elements for each leader, none for the other ranks of the node.
  ByteBlocks slices(std::size_t count, std::size_t element);
  /// Calls `piece(offset, count)` for parts of `count` elements that one MPI call takes.
  template <class Piece>
  void in_pieces(std::size_t count, const Piece& piece) const;
  std::byte* scratch(std::size_t bytes);

  const Session& session_;
  const Nodes& nodes_;
  Team& team_;
  std::vector<std::size_t> slice_counts_;
  Blocks slice_blocks_;
  std::unique_ptr<std::byte[]> scratch_;
  std::size_t scratch_bytes_ = 0;
};

}  // namespace tutti::mpi::node
