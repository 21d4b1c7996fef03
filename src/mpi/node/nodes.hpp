#pragma once

#include <mpi.h>

#include <vector>

#include "mpi/session.hpp"

namespace tutti::mpi::node {

/// How a communicator's ranks lie on nodes, and the communicators that follow from it. A rank's
/// index is its rank on its node.
class Nodes {
 public:
  /// Collective; every rank is known to be here.
  explicit Nodes(const Session& session);
  /// All ranks on one node; there are no communicators.
  Nodes(int rank, int size);
  Nodes(const Nodes&) = delete;
  Nodes& operator=(const Nodes&) = delete;
  ~Nodes();

  int count() const noexcept { return static_cast<int>(members_.size()); }
  int own() const noexcept { return node_of_[static_cast<std::size_t>(rank_)]; }
  int node_of(int rank) const noexcept { return node_of_[static_cast<std::size_t>(rank)]; }
  int index_of(int rank) const noexcept { return index_of_[static_cast<std::size_t>(rank)]; }
  /// The ranks of a node in their order.
  const std::vector<int>& members(int node) const noexcept {
    return members_[static_cast<std::size_t>(node)];
  }
  /// Every node has at least so many ranks: those with an index below talk to other nodes.
  int leaders() const noexcept { return leaders_; }
  /// Ranks of the node that has most.
  int largest() const noexcept { return largest_; }
  /// Each node's ranks follow one another.
  bool consecutive() const noexcept { return consecutive_; }

  /// Of this node's ranks.
  MPI_Comm within() const noexcept { return within_; }
  /// Of the leaders with this one's index, one of each node, in the order of nodes; null for
  /// others.
  MPI_Comm across() const noexcept { return across_; }

 private:
  void find_members(const std::vector<int>& first_of_node);

  int rank_;
  std::vector<int> node_of_;
  std::vector<int> index_of_;
  std::vector<std::vector<int>> members_;
  int leaders_ = 0;
  int largest_ = 0;
  bool consecutive_ = true;
  MPI_Comm within_ = MPI_COMM_NULL;
  MPI_Comm across_ = MPI_COMM_NULL;
};

}  // namespace tutti::mpi::node
