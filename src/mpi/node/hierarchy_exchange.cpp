// all_to_all: blocks from every rank to every rank.
#include "mpi/call.hpp"
#include "mpi/node/hierarchy.hpp"
#include "mpi/node/pipeline.hpp"
#include "mpi/wire.hpp"

namespace tutti::mpi::node {

// Each leader collects what its node has for the ranks of its index, and exchanges that with the
// leaders of the same index: a message for a pair of nodes and not for a pair of ranks.
void Hierarchy::exchange_short(const Operation& op) {
  const std::size_t element = size_of(op.send.type);
  const auto ranks = static_cast<std::size_t>(session_.size());
  const std::size_t block = op.send.count / ranks * element;
  const std::byte* const collected = collect_for_leaders(op, block);
  std::byte* const landed = scratch(served(me(), nodes_.own()) * ranks * block);
  if (leads()) exchange_across(collected, landed, block, element);
  const bool each_leads = team_.size() == nodes_.leaders();
  const std::byte* from = each_leads ? landed : hand_to_members(landed, block);
  for (int node = 0; node < nodes_.count(); ++node)
    for (const int r : nodes_.members(node)) {
      copy_bytes(out(op) + static_cast<std::size_t>(r) * block, from, block);
      from += block;
    }
}

/// From each rank of the node the blocks for those that this leader serves, node by node.
const std::byte* Hierarchy::collect_for_leaders(const Operation& op, std::size_t block) {
  const auto leaders = static_cast<std::size_t>(nodes_.leaders());
  std::byte* const sorted = scratch(op.send.bytes());
  std::byte* to = sorted;
  sent_.clear();
  for (std::size_t leader = 0; leader < leaders; ++leader) {
    std::size_t blocks = 0;
    for (int node = 0; node < nodes_.count(); ++node) {
      const std::vector<int>& members = nodes_.members(node);
      for (std::size_t i = leader; i < members.size(); i += leaders, to += block, ++blocks)
        copy_bytes(to, in(op) + static_cast<std::size_t>(members[i]) * block, block);
    }
    sent_.set(leader, blocks);
  }
  sent_.pack();
  const std::size_t own = sent_.counts()[me()];
  std::fill(received_.counts(), received_.counts() + team_.n(), own);
  std::byte* const collected = scratch(received_.pack() * block);
  all_to_all(team_, sorted, sent_.in_bytes(block), collected, received_.in_bytes(block),
             sent_.longest() * block);
  return collected;
}

/// `landed` gets, node by node, from each rank the blocks for the ranks of this node that this
/// leader serves.
void Hierarchy::exchange_across(const std::byte* collected, std::byte* landed, std::size_t block,
                                std::size_t element) {
  const std::size_t from_each = sent_.counts()[me()];
  const std::size_t here = served(me(), nodes_.own());
  std::byte* const sorted = scratch(team_.n() * from_each * block);
  std::size_t first = 0, sent = 0, arriving = 0;
  for (int node = 0; node < nodes_.count(); ++node) {
    const auto i = static_cast<std::size_t>(node);
    const std::size_t blocks = served(me(), node);
    for (std::size_t r = 0; r < team_.n(); ++r, sent += blocks)
      copy_bytes(sorted + sent * block, collected + (r * from_each + first) * block,
                 blocks * block);
    first += blocks;
    const std::size_t arrives = nodes_.members(node).size() * here;
    const auto in_elements = [&](std::size_t n) { return static_cast<int>(n * block / element); };
    counts_[i] = in_elements(blocks * team_.n());
    offsets_[i] = in_elements(sent - blocks * team_.n());
    arriving_counts_[i] = in_elements(arrives);
    arriving_offsets_[i] = in_elements(arriving);
    arriving += arrives;
  }
  TUTTI_MPI(MPI_Alltoallv(sorted, counts_.data(), offsets_.data(), wire_type(element), landed,
                          arriving_counts_.data(), arriving_offsets_.data(), wire_type(element),
                          nodes_.across()));
}

/// This rank's blocks, node by node, from the leader that serves it.
const std::byte* Hierarchy::hand_to_members(const std::byte* landed, std::size_t block) {
  const auto ranks = static_cast<std::size_t>(session_.size());
  const std::size_t here = served(me(), nodes_.own());
  std::byte* const sorted = scratch(here * ranks * block);
  for (std::size_t member = 0; member < here; ++member)
    for (std::size_t r = 0; r < ranks; ++r)
      copy_bytes(sorted + (member * ranks + r) * block, landed + (r * here + member) * block,
                 block);
  std::byte* const own = scratch(ranks * block);
  std::fill(sent_.counts(), sent_.counts() + team_.n(), ranks);
  hand_on(sorted, own, block);
  return own;
}

/// Each leader has the blocks of the ranks that it serves side by side, as long as `sent_` says;
/// they get them.
void Hierarchy::hand_on(const std::byte* from, std::byte* to, std::size_t element) {
  const auto leaders = static_cast<std::size_t>(nodes_.leaders());
  const auto self = static_cast<std::size_t>(me());
  const std::size_t longest = sent_.longest() * element;
  received_.clear();
  received_.set(self % leaders, sent_.counts()[self]);
  for (std::size_t r = 0; r < team_.n(); ++r)
    if (r % leaders != self) sent_.counts()[r] = 0;
  sent_.pack();
  all_to_all(team_, from, sent_.in_bytes(element), to, received_.in_bytes(element), longest);
}

/// Beginning after this rank, so that no rank is flooded.
template <class Visit>
void Hierarchy::for_each_on_other_nodes(const Visit& visit) const {
  for (int step = 1; step < session_.size(); ++step) {
    const int r = (session_.rank() + step) % session_.size();
    if (nodes_.node_of(r) != nodes_.own()) visit(r);
  }
}

// Nobody knows what all nodes send, so that nothing is collected: what leaves the node goes from
// rank to rank, each byte once, as MPI would send it, and the rest through shared memory.
void Hierarchy::exchange_uneven(const Operation& op) {
  const std::size_t element = size_of(op.send.type);
  lay_out(outgoing_, op.send_blocks, op.send.count);
  lay_out(incoming_, op.receive_blocks, op.receive.count);
  const std::byte* from = in(op);
  if (in(op) == out(op) && op.send.count != 0) {
    std::byte* const saved = scratch(op.send.bytes());
    copy_bytes(saved, in(op), op.send.bytes());
    from = saved;
  }
  messages_.open(element);
  for_each_on_other_nodes([&](int r) {
    messages_.receive(at(out(op), place_of(incoming_, r).offset * element),
                      place_of(incoming_, r).count, r);
  });
  for_each_on_other_nodes([&](int r) {
    messages_.send(at(from, place_of(outgoing_, r).offset * element), place_of(outgoing_, r).count,
                   r);
  });
  messages_.start();
  take_own_node(sent_, outgoing_);
  take_own_node(received_, incoming_);
  const std::size_t longest = agree_sizes(team_, {sent_.longest() * element, 0}).longest;
  all_to_all(team_, from, sent_.in_bytes(element), out(op), received_.in_bytes(element), longest);
  messages_.finish();
}

}  // namespace tutti::mpi::node
