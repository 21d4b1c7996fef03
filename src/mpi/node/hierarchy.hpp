#pragma once

#include <mpi.h>

#include <algorithm>
#include <vector>

#include "mpi/node/block_table.hpp"
#include "mpi/node/messages.hpp"
#include "mpi/node/movement.hpp"
#include "mpi/node/nodes.hpp"
#include "mpi/node/reduction.hpp"
#include "mpi/node/team.hpp"

namespace tutti::mpi::node {

/// Up to so many bytes one leader carries all: cutting costs more steps than it saves.
inline constexpr std::size_t one_leader_bytes = 4 * 1024;

/// Collectives over several nodes: shared memory within each, MPI between them, so that each node
/// sends and receives every byte once. Long arrays are cut into a slice for each leader, and the
/// leaders of one index carry theirs from node to node at the same time; of an operation with a
/// block for each rank, a leader carries those of the ranks of its index. What is short has one
/// leader.
class Hierarchy {
 public:
  Hierarchy(Session& session, const Nodes& nodes, Team& team);

  /// Why it is left to MPI; null where it is served. Equal on all ranks.
  const char* reason_against(const Operation& operation) const noexcept;
  /// An operation that is served and moves something. @throws Error
  void run(const Operation& operation);

 private:
  /// A rank's block, in elements.
  struct Place {
    std::size_t count;
    std::size_t offset;
  };
  using Places = std::vector<Place>;

  void serve(const Operation& op);
  // hierarchy_reduction.cpp
  void meet();
  void all_reduce(const Operation& op);
  void reduce_to_root(const Operation& op);
  void reduce_to_first(const Operation& op, const Arithmetic& arithmetic, std::byte* to);
  void scan(const Operation& op);
  void scan_across(const Operation& op, const std::byte* total, std::byte* before,
                   std::size_t count);
  void scan_by_one(const Operation& op, const Arithmetic& arithmetic, std::byte* before);
  void scan_by_slices(const Operation& op, const Arithmetic& arithmetic, std::byte* before);
  void reduce_to_blocks(const Operation& op);
  const std::byte* node_by_node(const Operation& op, std::size_t total);
  void reduce_by_one(const Operation& op, const Arithmetic& arithmetic, std::size_t total);
  void reduce_by_index(const Operation& op, const Arithmetic& arithmetic);
  void reduce_for_node(int node, const Operation& op, const Arithmetic& arithmetic,
                       std::byte* partial);
  // hierarchy_movement.cpp
  void broadcast_from_root(const Operation& op);
  void gather_to_all(const Operation& op);
  void gather_by_one(const Operation& op, std::byte* all, std::size_t total);
  void gather_by_slices(const Operation& op, std::byte* all);
  void gather_across(std::byte* all, std::size_t element);
  void gather_to_root(const Operation& op);
  void send_to_root(const Operation& op);
  void receive_at_root(const Operation& op);
  void receive_of_node(const Operation& op, int node);
  void scatter_from_root(const Operation& op);
  void send_from_root(const Operation& op);
  void send_to_node(const Operation& op, int node);
  void receive_from_root(const Operation& op);
  // hierarchy_exchange.cpp
  void exchange_short(const Operation& op);
  const std::byte* collect_for_leaders(const Operation& op, std::size_t block);
  void exchange_across(const std::byte* collected, std::byte* landed, std::size_t block,
                       std::size_t element);
  const std::byte* hand_to_members(const std::byte* landed, std::size_t block);
  void hand_on(const std::byte* from, std::byte* to, std::size_t element);
  void exchange_uneven(const Operation& op);
  template <class Visit>
  void for_each_on_other_nodes(const Visit& visit) const;

  int me() const noexcept { return team_.rank(); }
  bool leads() const noexcept { return me() < nodes_.leaders(); }
  /// Ranks of a node that a leader serves: those of its index, and those further on by as many as
  /// there are leaders.
  std::size_t served(int leader, int node) const noexcept;
  bool is_last_node() const noexcept { return nodes_.own() == nodes_.count() - 1; }
  const std::vector<int>& own_members() const { return nodes_.members(nodes_.own()); }
  /// The way of a reduction of so many bytes within the node.
  Way way_within(std::size_t bytes) const noexcept;
  /// The reduction of what all nodes give, of `count` elements that the leaders of one index hold.
  void reduce_across(const Operation& op, std::byte* data, std::size_t count);
  /// Each node gets its part of `partial`, by `counts_`, into `result`.
  void scatter_across(const Operation& op, const std::byte* partial, std::byte* result);
  void divide(const Operation& op, std::byte* data, std::size_t count) const;
  /// Whether an array of so many bytes is carried by the first rank of each node alone.
  bool has_one_leader(std::size_t bytes) const noexcept {
    return bytes <= one_leader_bytes || nodes_.leaders() == 1;
  }
  /// One slice of `count` elements for each leader, none for the other ranks of the node.
  ByteBlocks slices(std::size_t count, std::size_t element);
  ByteBlocks first_has_all(std::size_t count, std::size_t element);
  /// Calls `piece(offset, count)` for parts of `count` elements that one MPI call takes.
  template <class Piece>
  void in_pieces(std::size_t count, const Piece& piece) const;
  /// Until the next operation. Never null, which not every MPI takes for an empty part.
  std::byte* scratch(std::size_t bytes) {
    return messages_.scratch(std::max(bytes, std::size_t{1}));
  }

  static const Place& place_of(const Places& places, int rank) noexcept {
    return places[static_cast<std::size_t>(rank)];
  }
  /// Where all ranks' blocks lie, in one pass; returns their sum.
  std::size_t lay_out(Places& places, const Blocks& given, std::size_t total) const;
  /// Lays the blocks side by side in rank order; returns their sum.
  static std::size_t pack(Places& places) noexcept;
  std::size_t count_of(const Places& places, int node) const;
  std::size_t first_of(const Places& places, int node) const {
    return place_of(places, nodes_.members(node).front()).offset;
  }
  /// A node's blocks lie side by side in the order of its ranks.
  bool lie_together(const Places& places, int node) const;
  /// The blocks of this node's ranks.
  void take_own_node(BlockTable& table, const Places& places) const;
  /// The members' blocks, of which each rank knows its own, side by side; returns their sum.
  std::size_t pack_members(BlockTable& table, std::size_t own, bool uneven);

  Session& session_;
  const Nodes& nodes_;
  Team& team_;
  Messages messages_;
  BlockTable sent_;
  BlockTable received_;
  Places outgoing_;
  Places incoming_;
  std::vector<int> counts_;   ///< of MPI's calls between nodes, one entry a node
  std::vector<int> offsets_;  ///< likewise
  std::vector<int> arriving_counts_;
  std::vector<int> arriving_offsets_;
};

template <class Piece>
void Hierarchy::in_pieces(std::size_t count, const Piece& piece) const {
  const std::size_t most = session_.options().max_count;
  for (std::size_t done = 0; done < count; done += most)
    piece(done, static_cast<int>(std::min(most, count - done)));
}

inline const std::byte* in(const Operation& op) noexcept {
  return static_cast<const std::byte*>(op.send.data);
}
inline std::byte* out(const Operation& op) noexcept {
  return static_cast<std::byte*>(op.receive.data);
}

}  // namespace tutti::mpi::node
