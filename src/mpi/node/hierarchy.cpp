#include "mpi/node/hierarchy.hpp"

#include <algorithm>

#include "core/fold.hpp"
#include "mpi/call.hpp"
#include "mpi/one_call.hpp"
#include "mpi/wire.hpp"

namespace tutti::mpi::node {

namespace {

/// Up to so many bytes one leader carries all: cutting costs more steps than it saves.
constexpr std::size_t one_leader_bytes = 4 * 1024;

/// Up to so many bytes from other ranks of the node it folds whole arrays, as the table of
/// choice.cpp.
constexpr std::size_t whole_bytes = 16 * 1024;

const std::byte* in(const Operation& op) {
  return static_cast<const std::byte*>(op.send.data);
}
std::byte* out(const Operation& op) {
  return static_cast<std::byte*>(op.receive.data);
}

/// avg divides when all nodes have been added.
const ReduceOp& within_node(const ReduceOp& op) noexcept {
  return op.kind() == ReduceOp::Kind::avg ? sum : op;
}

}  // namespace

Hierarchy::Hierarchy(const Session& session, const Nodes& nodes, Team& team)
    : session_(session), nodes_(nodes), team_(team), slice_counts_(team.n()) {}

bool Hierarchy::serves(const Operation& op) const noexcept {
  switch (op.kind) {
    case OperationKind::barrier:
    case OperationKind::broadcast:
      return true;
    case OperationKind::all_reduce:
    case OperationKind::reduce:
      return combines(op, session_);
    case OperationKind::all_gather:
      return !op.uneven && nodes_.consecutive() && op.receive.count <= session_.options().max_count;
    case OperationKind::reduce_scatter:
    case OperationKind::gather:
    case OperationKind::scatter:
    case OperationKind::all_to_all:
    case OperationKind::scan:
    case OperationKind::exclusive_scan:
    case OperationKind::send:
    case OperationKind::recv:
    case OperationKind::send_recv:
      return false;
  }
  __builtin_unreachable();
}

void Hierarchy::run(const Operation& op) {
  switch (op.kind) {
    case OperationKind::barrier:
      return meet();
    case OperationKind::broadcast:
      return broadcast_from_root(op);
    case OperationKind::all_reduce:
      return all_reduce(op);
    case OperationKind::reduce:
      return reduce_to_root(op);
    case OperationKind::all_gather:
      return gather_to_all(op);
    default:
      __builtin_unreachable();  // see `serves`
  }
}

ByteBlocks Hierarchy::slices(std::size_t count, std::size_t element) {
  const auto leaders = static_cast<std::size_t>(nodes_.leaders());
  for (std::size_t i = 0; i < slice_counts_.size(); ++i)
    slice_counts_[i] = i < leaders ? count / leaders + (i < count % leaders ? 1 : 0) : 0;
  slice_blocks_ = Blocks(slice_counts_);
  return {BlockLayout(slice_blocks_), element};
}

template <class Piece>
void Hierarchy::in_pieces(std::size_t count, const Piece& piece) const {
  const std::size_t most = session_.options().max_count;
  for (std::size_t done = 0; done < count; done += most)
    piece(done, static_cast<int>(std::min(most, count - done)));
}

std::byte* Hierarchy::scratch(std::size_t bytes) {
  if (bytes > scratch_bytes_) {
    scratch_ = std::make_unique<std::byte[]>(bytes);
    scratch_bytes_ = bytes;
  }
  return scratch_.get();
}

void Hierarchy::meet() {
  barrier(team_);
  if (team_.rank() == 0) TUTTI_MPI(MPI_Barrier(nodes_.across()));
  barrier(team_);
}

void Hierarchy::all_reduce(const Operation& op) {
  const std::size_t element = size_of(op.send.type);
  const std::size_t count = op.send.count;
  const Arithmetic arithmetic{within_node(op.op), op.send.type, element};
  const MPI_Op combine = wire_op(op.op.kind(), op.send.type);
  const auto reduce_across = [&](std::byte* data, std::size_t elements) {
    in_pieces(elements, [&](std::size_t done, int n) {
      TUTTI_MPI(MPI_Allreduce(MPI_IN_PLACE, data + done * element, n, wire_type(element), combine,
                              nodes_.across()));
    });
    if (op.op.kind() == ReduceOp::Kind::avg)
      divide_by(static_cast<std::size_t>(session_.size()), op.send.type, data, elements);
  };
  if (count * element <= one_leader_bytes || nodes_.leaders() == 1) {
    const bool small = team_.others() * count * element <= whole_bytes;
    const Way way = small || team_.size() <= 2 ? Way::whole : Way::sliced;
    reduce(team_, way, OperationKind::reduce, arithmetic, in(op), out(op), count, 0);
    if (team_.rank() == 0) reduce_across(out(op), count);
    return broadcast(team_, out(op), count * element, 0);
  }
  const ByteBlocks blocks = slices(count, element);
  std::byte* const own = out(op) + blocks.offset(team_.rank());
  reduce_scatter(team_, arithmetic, in(op), own, blocks);
  if (leads()) reduce_across(own, blocks.layout.count(team_.rank()));
  all_gather(team_, own, out(op), blocks);
}

void Hierarchy::reduce_to_root(const Operation& op) {
  const std::size_t element = size_of(op.send.type);
  const Arithmetic arithmetic{within_node(op.op), op.send.type, element};
  const MPI_Op combine = wire_op(op.op.kind(), op.send.type);
  const ByteBlocks blocks = slices(op.send.count, element);
  const std::size_t own = blocks.layout.count(team_.rank());
  const int root_node = nodes_.node_of(op.root);
  const bool here = nodes_.own() == root_node;
  std::byte* const partial = scratch(2 * own * element);
  std::byte* const result = partial + own * element;
  reduce_scatter(team_, arithmetic, in(op), partial, blocks);
  if (leads())
    in_pieces(own, [&](std::size_t done, int n) {
      TUTTI_MPI(MPI_Reduce(partial + done * element, here ? result + done * element : nullptr, n,
                           wire_type(element), combine, root_node, nodes_.across()));
    });
  if (!here) return;
  if (op.op.kind() == ReduceOp::Kind::avg)
    divide_by(static_cast<std::size_t>(session_.size()), op.send.type, result, own);
  gather(team_, result, own * element, out(op), blocks, blocks.longest(team_.size()),
         nodes_.index_of(op.root));
}

void Hierarchy::broadcast_from_root(const Operation& op) {
  const std::size_t element = size_of(op.receive.type);
  const std::size_t count = op.receive.count;
  const int root_node = nodes_.node_of(op.root);
  const bool here = nodes_.own() == root_node;
  if (here) broadcast(team_, out(op), count * element, nodes_.index_of(op.root));
  const auto across = [&](std::byte* data, std::size_t elements) {
    in_pieces(elements, [&](std::size_t done, int n) {
      TUTTI_MPI(
          MPI_Bcast(data + done * element, n, wire_type(element), root_node, nodes_.across()));
    });
  };
  if (count * element <= one_leader_bytes || nodes_.leaders() == 1) {
    if (team_.rank() == 0) across(out(op), count);
    if (!here) broadcast(team_, out(op), count * element, 0);
    return;
  }
  const ByteBlocks blocks = slices(count, element);
  std::byte* const own = out(op) + blocks.offset(team_.rank());
  if (leads()) across(own, blocks.layout.count(team_.rank()));
  if (!here) all_gather(team_, own, out(op), blocks);
}

// The blocks of a node lie side by side and travel as one, each leader's slice of it by itself.
void Hierarchy::gather_to_all(const Operation& op) {
  const std::size_t element = size_of(op.send.type);
  const std::size_t block = op.send.count;
  const auto first = [&](int node) {
    return static_cast<std::size_t>(nodes_.members(node).front()) * block;
  };
  const auto length = [&](int node) { return nodes_.members(node).size() * block; };
  const auto place = [&](int node) { return out(op) + first(node) * element; };
  all_gather(team_, in(op), place(nodes_.own()), {BlockLayout(block), element});
  if (leads()) {
    std::vector<int> counts, offsets;
    for (int node = 0; node < nodes_.count(); ++node) {
      const ByteBlocks blocks = slices(length(node), element);
      counts.push_back(static_cast<int>(blocks.layout.count(team_.rank())));
      offsets.push_back(static_cast<int>(first(node) + blocks.layout.offset(team_.rank())));
    }
    TUTTI_MPI(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out(op), counts.data(),
                             offsets.data(), wire_type(element), nodes_.across()));
  }
  for (int node = 0; node < nodes_.count(); ++node) {
    if (node == nodes_.own()) continue;
    const ByteBlocks blocks = slices(length(node), element);
    all_gather(team_, place(node) + blocks.offset(team_.rank()), place(node), blocks);
  }
}

}  // namespace tutti::mpi::node
