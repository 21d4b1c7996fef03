// What the nodes reduce together, and the barrier.
#include "core/fold.hpp"
#include "mpi/call.hpp"
#include "mpi/node/hierarchy.hpp"
#include "mpi/node/pipeline.hpp"
#include "mpi/wire.hpp"

namespace tutti::mpi::node {

namespace {

/// avg divides when all nodes have been added.
const ReduceOp& within_node(const ReduceOp& op) noexcept {
  return op.kind() == ReduceOp::Kind::avg ? sum : op;
}

Arithmetic arithmetic_of(const Operation& op) noexcept {
  return {within_node(op.op), op.send.type, size_of(op.send.type)};
}

MPI_Op combine_of(const Operation& op) {
  return wire_op(op.op.kind(), op.send.type);
}

}  // namespace

void Hierarchy::divide(const Operation& op, std::byte* data, std::size_t count) const {
  if (op.op.kind() == ReduceOp::Kind::avg)
    divide_by(static_cast<std::size_t>(session_.size()), op.send.type, data, count);
}

void Hierarchy::meet() {
  barrier(team_);
  if (me() == 0) TUTTI_MPI(MPI_Barrier(nodes_.across()));
  barrier(team_);
}

void Hierarchy::reduce_across(const Operation& op, std::byte* data, std::size_t count) {
  const std::size_t element = size_of(op.send.type);
  in_pieces(count, [&](std::size_t done, int n) {
    TUTTI_MPI(MPI_Allreduce(MPI_IN_PLACE, data + done * element, n, wire_type(element),
                            combine_of(op), nodes_.across()));
  });
  divide(op, data, count);
}

void Hierarchy::all_reduce(const Operation& op) {
  const Arithmetic arithmetic = arithmetic_of(op);
  const std::size_t count = op.send.count;
  const std::size_t bytes = count * arithmetic.element;
  if (has_one_leader(bytes)) {
    reduce_to_first(op, arithmetic, out(op));
    if (me() == 0) reduce_across(op, out(op), count);
    return broadcast(team_, out(op), bytes, 0);
  }
  const ByteBlocks blocks = slices(count, arithmetic.element);
  std::byte* const own = at(out(op), blocks.offset(me()));
  reduce_scatter(team_, arithmetic, in(op), own, blocks);
  if (leads()) reduce_across(op, own, blocks.layout.count(me()));
  all_gather(team_, own, out(op), blocks);
}

/// The node's arrays become one on its first rank.
void Hierarchy::reduce_to_first(const Operation& op, const Arithmetic& arithmetic, std::byte* to) {
  const std::size_t bytes = op.send.count * arithmetic.element;
  reduce(team_, way_within(bytes), OperationKind::reduce, arithmetic, in(op), to, op.send.count, 0);
}

void Hierarchy::reduce_to_root(const Operation& op) {
  const Arithmetic arithmetic = arithmetic_of(op);
  const std::size_t element = arithmetic.element;
  const bool one = has_one_leader(op.send.count * element);
  const ByteBlocks blocks =
      one ? first_has_all(op.send.count, element) : slices(op.send.count, element);
  const std::size_t own = blocks.layout.count(me());
  const int root_node = nodes_.node_of(op.root);
  const bool here = nodes_.own() == root_node;
  std::byte* const partial = scratch(own * element);
  std::byte* const result = here ? scratch(own * element) : nullptr;
  if (one)
    reduce_to_first(op, arithmetic, partial);
  else
    reduce_scatter(team_, arithmetic, in(op), partial, blocks);
  if (leads())
    in_pieces(own, [&](std::size_t done, int n) {
      TUTTI_MPI(MPI_Reduce(partial + done * element, here ? result + done * element : nullptr, n,
                           wire_type(element), combine_of(op), root_node, nodes_.across()));
    });
  if (!here) return;
  divide(op, result, own);
  const int root = nodes_.index_of(op.root);
  gather(team_, result, own * element, out(op), blocks, blocks.longest(team_.size()), root);
}

// What the nodes before this one give goes to its first rank, which puts it before its own array:
// with that the ranks of the node do a scan among themselves.
void Hierarchy::scan(const Operation& op) {
  const Arithmetic arithmetic = arithmetic_of(op);
  const std::size_t bytes = op.send.count * arithmetic.element;
  const bool begins = nodes_.own() != 0 && me() == 0;
  std::byte* const before = begins ? scratch(bytes) : nullptr;
  std::byte* const begun = begins ? scratch(bytes) : nullptr;
  if (has_one_leader(bytes))
    scan_by_one(op, arithmetic, before);
  else
    scan_by_slices(op, arithmetic, before);
  if (begins) {
    const void* const arrays[] = {before, in(op)};
    void* const outs[] = {nullptr, begun};
    fold(op.op, op.send.type, arrays, outs, 2, op.send.count);
  }
  reduce(team_, way_within(bytes), op.kind, arithmetic, begins ? begun : in(op), out(op),
         op.send.count, 0);
  if (begins && op.kind == OperationKind::exclusive_scan) copy_bytes(out(op), before, bytes);
}

/// `before` is what the nodes before this one give, of the node's `total`, which of the last one
/// nobody wants.
void Hierarchy::scan_across(const Operation& op, const std::byte* total, std::byte* before,
                            std::size_t count) {
  const std::size_t element = size_of(op.send.type);
  in_pieces(count, [&](std::size_t done, int n) {
    TUTTI_MPI(MPI_Exscan(total + done * element, before + done * element, n, wire_type(element),
                         combine_of(op), nodes_.across()));
  });
}

void Hierarchy::scan_by_one(const Operation& op, const Arithmetic& arithmetic, std::byte* before) {
  const std::size_t bytes = op.send.count * arithmetic.element;
  const bool leader = me() == 0;
  std::byte* const total = leader ? scratch(bytes) : nullptr;
  if (!is_last_node()) reduce_to_first(op, arithmetic, total);
  if (leader) scan_across(op, total, before != nullptr ? before : scratch(bytes), op.send.count);
}

void Hierarchy::scan_by_slices(const Operation& op, const Arithmetic& arithmetic,
                               std::byte* before) {
  const std::size_t element = arithmetic.element;
  const ByteBlocks blocks = slices(op.send.count, element);
  const std::size_t own = blocks.layout.count(me());
  std::byte* const total = scratch(own * element);
  std::byte* const slice = scratch(own * element);
  if (!is_last_node()) reduce_scatter(team_, arithmetic, in(op), total, blocks);
  if (leads()) scan_across(op, total, slice, own);
  if (nodes_.own() != 0)
    gather(team_, slice, own * element, before, blocks, blocks.longest(team_.size()), 0);
}

void Hierarchy::reduce_to_blocks(const Operation& op) {
  const std::size_t total = lay_out(outgoing_, op.send_blocks, op.send.count);
  if (total == 0) return;
  const Arithmetic arithmetic = arithmetic_of(op);
  if (has_one_leader(total * arithmetic.element))
    reduce_by_one(op, arithmetic, total);
  else
    reduce_by_index(op, arithmetic);
}

void Hierarchy::scatter_across(const Operation& op, const std::byte* partial, std::byte* result) {
  TUTTI_MPI(MPI_Reduce_scatter(partial, result, counts_.data(), wire_type(size_of(op.send.type)),
                               combine_of(op), nodes_.across()));
  divide(op, result, static_cast<std::size_t>(counts_[static_cast<std::size_t>(nodes_.own())]));
}

// The blocks in the order in which MPI takes them.
const std::byte* Hierarchy::node_by_node(const Operation& op, std::size_t total) {
  const std::size_t element = size_of(op.send.type);
  bool in_order = true;
  std::size_t next = 0;
  for (int node = 0; node < nodes_.count(); ++node) {
    const std::size_t count = count_of(outgoing_, node);
    in_order = in_order && lie_together(outgoing_, node) && first_of(outgoing_, node) == next;
    counts_[static_cast<std::size_t>(node)] = static_cast<int>(count);
    next += count;
  }
  if (in_order) return in(op);
  std::byte* const blocks = scratch(total * element);
  std::byte* to = blocks;
  for (int node = 0; node < nodes_.count(); ++node)
    for (const int r : nodes_.members(node)) {
      const Place& place = place_of(outgoing_, r);
      copy_bytes(to, at(in(op), place.offset * element), place.count * element);
      to += place.count * element;
    }
  return blocks;
}

void Hierarchy::reduce_by_one(const Operation& op, const Arithmetic& arithmetic,
                              std::size_t total) {
  const std::size_t element = arithmetic.element;
  const bool leader = me() == 0;
  const std::byte* const blocks = node_by_node(op, total);
  std::byte* const partial = leader ? scratch(total * element) : nullptr;
  reduce(team_, way_within(total * element), OperationKind::reduce, arithmetic, blocks, partial,
         total, 0);
  take_own_node(sent_, outgoing_);
  std::byte* const result = leader ? scratch(sent_.pack() * element) : nullptr;
  if (leader) scatter_across(op, partial, result);
  scatter(team_, result, sent_.in_bytes(element), out(op), op.receive.count * element,
          sent_.longest() * element, 0);
}

// The node reduces the blocks of each node's ranks in turn, every leader those that it carries.
void Hierarchy::reduce_by_index(const Operation& op, const Arithmetic& arithmetic) {
  const std::size_t element = arithmetic.element;
  const auto leaders = static_cast<std::size_t>(nodes_.leaders());
  const auto rank = static_cast<std::size_t>(me());
  std::size_t carried = 0;
  for (int node = 0; node < nodes_.count(); ++node) {
    std::size_t count = 0;
    const std::vector<int>& members = nodes_.members(node);
    for (std::size_t i = rank; leads() && i < members.size(); i += leaders)
      count += place_of(outgoing_, members[i]).count;
    counts_[static_cast<std::size_t>(node)] = static_cast<int>(count);
    carried += count;
  }
  std::byte* const partial = scratch(carried * element);
  std::size_t done = 0;
  for (int node = 0; node < nodes_.count(); ++node) {
    reduce_for_node(node, op, arithmetic, partial + done * element);
    done += static_cast<std::size_t>(counts_[static_cast<std::size_t>(node)]);
  }
  const bool each_leads = team_.size() == nodes_.leaders();
  const auto own = static_cast<std::size_t>(counts_[static_cast<std::size_t>(nodes_.own())]);
  std::byte* const result = each_leads ? out(op) : scratch(own * element);
  if (leads()) scatter_across(op, partial, result);
  if (each_leads) return;
  take_own_node(sent_, outgoing_);
  hand_on(result, out(op), element);
}

void Hierarchy::reduce_for_node(int node, const Operation& op, const Arithmetic& arithmetic,
                                std::byte* partial) {
  const std::vector<int>& members = nodes_.members(node);
  const auto leaders = static_cast<std::size_t>(nodes_.leaders());
  for (std::size_t first = 0; first < members.size(); first += leaders) {
    sent_.clear();
    for (std::size_t i = 0; i < leaders && first + i < members.size(); ++i) {
      const Place& place = place_of(outgoing_, members[first + i]);
      sent_.set(i, place.count, place.offset);
    }
    if (sent_.longest() == 0) continue;
    const ByteBlocks blocks = sent_.in_bytes(arithmetic.element);
    reduce_scatter(team_, arithmetic, in(op), partial, blocks);
    partial += blocks.bytes(me());
  }
}

}  // namespace tutti::mpi::node
