#include "mpi/node/nodes.hpp"

#include <algorithm>

#include "mpi/call.hpp"
#include "mpi/lifetime.hpp"

namespace tutti::mpi::node {

namespace {

MPI_Comm split(MPI_Comm comm, int color, int key) {
  MPI_Comm part = MPI_COMM_NULL;
  TUTTI_MPI(MPI_Comm_split(comm, color, key, &part));
  if (part != MPI_COMM_NULL) TUTTI_MPI(MPI_Comm_set_errhandler(part, MPI_ERRORS_RETURN));
  return part;
}

MPI_Comm ranks_of_node(const Session& session) {
  MPI_Comm machine = MPI_COMM_NULL;
  TUTTI_MPI(MPI_Comm_split_type(session.comm(), MPI_COMM_TYPE_SHARED, session.rank(), MPI_INFO_NULL,
                                &machine));
  TUTTI_MPI(MPI_Comm_set_errhandler(machine, MPI_ERRORS_RETURN));
  const std::size_t pretended = session.options().node_size;
  if (pretended == 0) return machine;
  const auto color = static_cast<int>(static_cast<std::size_t>(session.rank()) / pretended);
  MPI_Comm node = split(machine, color, session.rank());
  TUTTI_MPI(MPI_Comm_free(&machine));
  return node;
}

}  // namespace

Nodes::Nodes(const Session& session)
    : rank_(session.rank()),
      node_of_(static_cast<std::size_t>(session.size())),
      index_of_(static_cast<std::size_t>(session.size())) {
  within_ = ranks_of_node(session);
  int first = session.rank();
  TUTTI_MPI(MPI_Bcast(&first, 1, MPI_INT, 0, within_));
  std::vector<int> firsts(static_cast<std::size_t>(session.size()));
  TUTTI_MPI(MPI_Allgather(&first, 1, MPI_INT, firsts.data(), 1, MPI_INT, session.comm()));
  find_members(firsts);
  const int index = index_of(rank_);
  if (count() > 1) across_ = split(session.comm(), index < leaders_ ? index : MPI_UNDEFINED, own());
}

Nodes::Nodes(int rank, int size)
    : rank_(rank),
      node_of_(static_cast<std::size_t>(size)),
      index_of_(static_cast<std::size_t>(size)) {
  find_members(std::vector<int>(static_cast<std::size_t>(size)));
}

// Nodes are numbered in the order of their first ranks.
void Nodes::find_members(const std::vector<int>& first_of_node) {
  std::vector<int> number(first_of_node.size(), -1);
  for (std::size_t r = 0; r < first_of_node.size(); ++r) {
    int& node = number[static_cast<std::size_t>(first_of_node[r])];
    if (node < 0) {
      node = count();
      members_.emplace_back();
    }
    auto& members = members_[static_cast<std::size_t>(node)];
    if (!members.empty() && members.back() + 1 != static_cast<int>(r)) consecutive_ = false;
    node_of_[r] = node;
    index_of_[r] = static_cast<int>(members.size());
    members.push_back(static_cast<int>(r));
  }
  leaders_ = static_cast<int>(members_.front().size());
  for (const auto& members : members_) {
    leaders_ = std::min(leaders_, static_cast<int>(members.size()));
    largest_ = std::max(largest_, static_cast<int>(members.size()));
  }
}

Nodes::~Nodes() {
  if (finalized()) return;
  if (within_ != MPI_COMM_NULL) static_cast<void>(MPI_Comm_free(&within_));
  if (across_ != MPI_COMM_NULL) static_cast<void>(MPI_Comm_free(&across_));
}

}  // namespace tutti::mpi::node
