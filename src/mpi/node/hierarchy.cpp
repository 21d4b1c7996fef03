#include "mpi/node/hierarchy.hpp"

#include <algorithm>
#include <numeric>

#include "mpi/one_call.hpp"

namespace tutti::mpi::node {

namespace {

/// Up to so many bytes from other ranks of the node it folds whole arrays, as the table of
/// choice.cpp.
constexpr std::size_t whole_bytes = 16 * 1024;

/// Up to so many bytes a block, fewer messages are worth the copies that collecting costs: a
/// message between nodes takes as long as some ten thousand bytes.
constexpr std::size_t short_block_bytes = 1024;

constexpr const char* not_by_parts =
    "its partial results cannot be stored between nodes, or their order is promised";
constexpr const char* not_in_order = "the ranks of a node do not follow one another";
constexpr const char* too_many = "its elements are more than one MPI call counts";

std::size_t total_count(const Operation& op, const Blocks& blocks, std::size_t equal) noexcept {
  if (!op.uneven) return equal;
  return std::accumulate(blocks.counts(), blocks.counts() + blocks.size(), std::size_t{0});
}

}  // namespace

Hierarchy::Hierarchy(Session& session, const Nodes& nodes, Team& team)
    : session_(session),
      nodes_(nodes),
      team_(team),
      messages_(session),
      sent_(team.n()),
      received_(team.n()),
      outgoing_(static_cast<std::size_t>(session.size())),
      incoming_(outgoing_.size()),
      counts_(static_cast<std::size_t>(nodes.count())),
      offsets_(counts_.size()),
      arriving_counts_(counts_.size()),
      arriving_offsets_(counts_.size()) {}

const char* Hierarchy::reason_against(const Operation& op) const noexcept {
  const std::size_t most = session_.options().max_count;
  switch (op.kind) {
    case OperationKind::barrier:
    case OperationKind::broadcast:
    case OperationKind::gather:
    case OperationKind::scatter:
      return nullptr;
    case OperationKind::all_reduce:
    case OperationKind::reduce:
      return combines(op, session_) ? nullptr : not_by_parts;
    case OperationKind::scan:
    case OperationKind::exclusive_scan:
      if (!combines(op, session_)) return not_by_parts;
      return nodes_.consecutive() ? nullptr : not_in_order;
    case OperationKind::reduce_scatter:
      if (!combines(op, session_)) return not_by_parts;
      return total_count(op, op.send_blocks, op.send.count) <= most ? nullptr : too_many;
    case OperationKind::all_gather:
      if (!nodes_.consecutive()) return not_in_order;
      return total_count(op, op.receive_blocks, op.receive.count) <= most ? nullptr : too_many;
    case OperationKind::all_to_all:
      if (op.uneven) return nullptr;
      if (op.send.bytes() > short_block_bytes * static_cast<std::size_t>(session_.size()))
        return "MPI's own all_to_all of long blocks sends every byte once as well";
      if (nodes_.largest() > 2 * nodes_.leaders())
        return "the nodes differ in size too much: a leader would carry the blocks of many ranks";
      // Of the blocks that a leader carries there may be four times as many.
      return op.send.count <= most / 4 ? nullptr : too_many;
    case OperationKind::send:
    case OperationKind::recv:
    case OperationKind::send_recv:
      return "messages between two ranks are MPI's";
  }
  __builtin_unreachable();
}

// The others of the node, who wait in the memory that they share, are told of a failure.
void Hierarchy::run(const Operation& op) try {
  messages_.clear();
  serve(op);
} catch (const Error& error) {
  team_.give_up(error.cause());
  throw;
}

void Hierarchy::serve(const Operation& op) {
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
    case OperationKind::reduce_scatter:
      return reduce_to_blocks(op);
    case OperationKind::gather:
      return gather_to_root(op);
    case OperationKind::scatter:
      return scatter_from_root(op);
    case OperationKind::all_to_all:
      return op.uneven ? exchange_uneven(op) : exchange_short(op);
    case OperationKind::scan:
    case OperationKind::exclusive_scan:
      return scan(op);
    case OperationKind::send:
    case OperationKind::recv:
    case OperationKind::send_recv:
      break;  // see `reason_against`
  }
  __builtin_unreachable();
}

Way Hierarchy::way_within(std::size_t bytes) const noexcept {
  const bool small = team_.others() * bytes <= whole_bytes;
  return small || team_.size() <= 2 ? Way::whole : Way::sliced;
}

std::size_t Hierarchy::served(int leader, int node) const noexcept {
  const auto members = static_cast<int>(nodes_.members(node).size());
  const int leaders = nodes_.leaders();
  return leader >= leaders ? 0
                           : static_cast<std::size_t>((members - leader + leaders - 1) / leaders);
}

ByteBlocks Hierarchy::slices(std::size_t count, std::size_t element) {
  const auto leaders = static_cast<std::size_t>(nodes_.leaders());
  for (std::size_t i = 0; i < team_.n(); ++i)
    sent_.set(i, i < leaders ? count / leaders + (i < count % leaders ? 1 : 0) : 0);
  sent_.pack();
  return sent_.in_bytes(element);
}

ByteBlocks Hierarchy::first_has_all(std::size_t count, std::size_t element) {
  sent_.clear();
  sent_.set(0, count);
  sent_.pack();
  return sent_.in_bytes(element);
}

std::size_t Hierarchy::lay_out(Places& places, const Blocks& given, std::size_t total) const {
  std::size_t sum = 0;
  for (std::size_t r = 0; r < places.size(); ++r) {
    const std::size_t count = given.given() ? given.counts()[r] : total / places.size();
    places[r] = {count, given.has_offsets() ? given.offsets()[r] : sum};
    sum += count;
  }
  return sum;
}

std::size_t Hierarchy::pack(Places& places) noexcept {
  std::size_t total = 0;
  for (Place& place : places) {
    place.offset = total;
    total += place.count;
  }
  return total;
}

std::size_t Hierarchy::count_of(const Places& places, int node) const {
  std::size_t count = 0;
  for (const int r : nodes_.members(node)) count += place_of(places, r).count;
  return count;
}

bool Hierarchy::lie_together(const Places& places, int node) const {
  std::size_t next = first_of(places, node);
  for (const int r : nodes_.members(node)) {
    const Place& place = place_of(places, r);
    if (place.count != 0 && place.offset != next) return false;
    next += place.count;
  }
  return true;
}

void Hierarchy::take_own_node(BlockTable& table, const Places& places) const {
  std::size_t i = 0;
  for (const int r : own_members())
    table.set(i++, place_of(places, r).count, place_of(places, r).offset);
}

std::size_t Hierarchy::pack_members(BlockTable& table, std::size_t own, bool uneven) {
  if (uneven)
    all_gather(team_, reinterpret_cast<const std::byte*>(&own),
               reinterpret_cast<std::byte*>(table.counts()), {BlockLayout(1), sizeof own});
  else
    std::fill(table.counts(), table.counts() + team_.n(), own);
  return table.pack();
}

}  // namespace tutti::mpi::node
