// What moves to, from and between all ranks as it is.
#include <algorithm>

#include "mpi/call.hpp"
#include "mpi/node/hierarchy.hpp"
#include "mpi/node/pipeline.hpp"
#include "mpi/wire.hpp"

namespace tutti::mpi::node {

namespace {

/// Up to so many bytes for each of them, the blocks of a node's ranks go as one message. Longer
/// ones go from rank to rank, each once as well and without being copied.
constexpr std::size_t collected_bytes = 4 * 1024;

bool go_together(std::size_t bytes, std::size_t ranks) noexcept {
  return ranks > 1 && bytes <= ranks * collected_bytes;
}

}  // namespace

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
  if (has_one_leader(count * element)) {
    if (me() == 0) across(out(op), count);
    if (!here) broadcast(team_, out(op), count * element, 0);
    return;
  }
  const ByteBlocks blocks = slices(count, element);
  std::byte* const own = at(out(op), blocks.offset(me()));
  if (leads()) across(own, blocks.layout.count(me()));
  if (!here) all_gather(team_, own, out(op), blocks);
}

// A node's blocks lie side by side and travel as one. Where the caller's do not, they are put into
// their places in the end.
void Hierarchy::gather_to_all(const Operation& op) {
  const std::size_t element = size_of(op.send.type);
  lay_out(incoming_, op.receive_blocks, op.receive.count);
  outgoing_ = incoming_;
  const std::size_t total = pack(outgoing_);
  if (total == 0) return;
  const auto stays = [](const Place& a, const Place& b) {
    return a.offset == b.offset || a.count == 0;
  };
  const bool packed =
      std::equal(incoming_.begin(), incoming_.end(), outgoing_.begin(), outgoing_.end(), stays);
  std::byte* const all = packed ? out(op) : scratch(total * element);
  if (total * element <= one_leader_bytes)
    gather_by_one(op, all, total);
  else
    gather_by_slices(op, all);
  for (int r = 0; !packed && r < session_.size(); ++r)
    copy_bytes(at(out(op), place_of(incoming_, r).offset * element),
               all + place_of(outgoing_, r).offset * element,
               place_of(incoming_, r).count * element);
}

void Hierarchy::gather_across(std::byte* all, std::size_t element) {
  TUTTI_MPI(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, counts_.data(), offsets_.data(),
                           wire_type(element), nodes_.across()));
}

void Hierarchy::gather_by_one(const Operation& op, std::byte* all, std::size_t total) {
  const std::size_t element = size_of(op.send.type);
  take_own_node(sent_, outgoing_);
  gather(team_, in(op), op.send.count * element, all, sent_.in_bytes(element),
         sent_.longest() * element, 0);
  for (int node = 0; node < nodes_.count(); ++node) {
    const auto i = static_cast<std::size_t>(node);
    counts_[i] = static_cast<int>(count_of(outgoing_, node));
    offsets_[i] = static_cast<int>(first_of(outgoing_, node));
  }
  if (me() == 0) gather_across(all, element);
  broadcast(team_, all, total * element, 0);
}

void Hierarchy::gather_by_slices(const Operation& op, std::byte* all) {
  const std::size_t element = size_of(op.send.type);
  take_own_node(sent_, outgoing_);
  all_gather(team_, in(op), all, sent_.in_bytes(element));
  for (int node = 0; node < nodes_.count(); ++node) {
    const BlockLayout layout = slices(count_of(outgoing_, node), element).layout;
    const auto i = static_cast<std::size_t>(node);
    counts_[i] = static_cast<int>(layout.count(me()));
    offsets_[i] = static_cast<int>(first_of(outgoing_, node) + layout.offset(me()));
  }
  if (leads()) gather_across(all, element);
  for (int node = 0; node < nodes_.count(); ++node) {
    if (node == nodes_.own()) continue;
    const ByteBlocks blocks = slices(count_of(outgoing_, node), element);
    std::byte* const place = all + first_of(outgoing_, node) * element;
    all_gather(team_, place + blocks.offset(me()), place, blocks);
  }
}

void Hierarchy::gather_to_root(const Operation& op) {
  messages_.open(size_of(op.send.type));
  if (nodes_.own() == nodes_.node_of(op.root))
    receive_at_root(op);
  else
    send_to_root(op);
  messages_.finish();
}

void Hierarchy::send_to_root(const Operation& op) {
  const std::size_t element = size_of(op.send.type);
  const std::size_t own = op.send.count;
  const std::size_t total = pack_members(sent_, own, op.uneven);
  if (!go_together(total * element, team_.n())) {
    messages_.send(in(op), own, op.root);
    return messages_.start();
  }
  std::byte* const all = me() == 0 ? scratch(total * element) : nullptr;
  gather(team_, in(op), own * element, all, sent_.in_bytes(element), sent_.longest() * element, 0);
  if (me() != 0) return;
  messages_.send(all, total, op.root);
  messages_.start();
}

void Hierarchy::receive_at_root(const Operation& op) {
  const std::size_t element = size_of(op.send.type);
  const std::size_t own = op.send.count * element;
  if (session_.rank() == op.root) {
    lay_out(incoming_, op.receive_blocks, op.receive.count);
    take_own_node(received_, incoming_);
    for (int node = 0; node < nodes_.count(); ++node)
      if (node != nodes_.own()) receive_of_node(op, node);
    messages_.start();
  }
  const int root = nodes_.index_of(op.root);
  const std::size_t longest =
      op.uneven ? tell_sizes(team_, {received_.longest() * element, 0}, root).longest : own;
  gather(team_, in(op), own, out(op), received_.in_bytes(element), longest, root);
}

void Hierarchy::receive_of_node(const Operation& op, int node) {
  const std::size_t element = size_of(op.send.type);
  const std::vector<int>& members = nodes_.members(node);
  const std::size_t total = count_of(incoming_, node);
  const auto place = [&](int r) { return at(out(op), place_of(incoming_, r).offset * element); };
  if (!go_together(total * element, members.size())) {
    for (const int r : members) messages_.receive(place(r), place_of(incoming_, r).count, r);
    return;
  }
  if (lie_together(incoming_, node))
    return messages_.receive(place(members.front()), total, members.front());
  std::byte* from = scratch(total * element);
  messages_.receive(from, total, members.front());
  for (const int r : members) {
    messages_.copy_at_last(from, place(r), place_of(incoming_, r).count);
    from += place_of(incoming_, r).count * element;
  }
}

void Hierarchy::scatter_from_root(const Operation& op) {
  messages_.open(size_of(op.receive.type));
  if (nodes_.own() == nodes_.node_of(op.root))
    send_from_root(op);
  else
    receive_from_root(op);
  messages_.finish();
}

void Hierarchy::send_from_root(const Operation& op) {
  const std::size_t element = size_of(op.receive.type);
  const std::size_t own = op.receive.count * element;
  if (session_.rank() == op.root) {
    lay_out(outgoing_, op.send_blocks, op.send.count);
    take_own_node(sent_, outgoing_);
    for (int node = 0; node < nodes_.count(); ++node)
      if (node != nodes_.own()) send_to_node(op, node);
    messages_.start();
  }
  const int root = nodes_.index_of(op.root);
  const std::size_t longest =
      op.uneven ? tell_sizes(team_, {sent_.longest() * element, 0}, root).longest : own;
  scatter(team_, in(op), sent_.in_bytes(element), out(op), own, longest, root);
}

void Hierarchy::send_to_node(const Operation& op, int node) {
  const std::size_t element = size_of(op.receive.type);
  const std::vector<int>& members = nodes_.members(node);
  const std::size_t total = count_of(outgoing_, node);
  const auto place = [&](int r) { return at(in(op), place_of(outgoing_, r).offset * element); };
  if (!go_together(total * element, members.size())) {
    for (const int r : members) messages_.send(place(r), place_of(outgoing_, r).count, r);
    return;
  }
  if (lie_together(outgoing_, node))
    return messages_.send(place(members.front()), total, members.front());
  std::byte* const all = scratch(total * element);
  std::byte* to = all;
  for (const int r : members) {
    const std::size_t bytes = place_of(outgoing_, r).count * element;
    copy_bytes(to, place(r), bytes);
    to += bytes;
  }
  messages_.send(all, total, members.front());
}

void Hierarchy::receive_from_root(const Operation& op) {
  const std::size_t element = size_of(op.receive.type);
  const std::size_t own = op.receive.count;
  const std::size_t total = pack_members(sent_, own, op.uneven);
  if (!go_together(total * element, team_.n())) {
    messages_.receive(out(op), own, op.root);
    return messages_.start();
  }
  std::byte* const all = me() == 0 ? scratch(total * element) : nullptr;
  if (me() == 0) {
    messages_.receive(all, total, op.root);
    messages_.start();
    messages_.finish();
  }
  scatter(team_, all, sent_.in_bytes(element), out(op), own * element, sent_.longest() * element,
          0);
}

}  // namespace tutti::mpi::node
