// The memory, the contents and the result of each kind of operation.
#include "fuzz/instance.hpp"
#include "support/elements.hpp"

namespace tutti::fuzz {

using test::Area;
using test::Bytes;
using Kind = OperationKind;

void Instance::make() {
  switch (draw_.kind) {
    case Kind::all_reduce:
    case Kind::reduce:
    case Kind::scan:
    case Kind::exclusive_scan:
      return make_same_count();
    case Kind::broadcast:
      return make_broadcast();
    case Kind::all_gather:
      return make_all_gather();
    case Kind::reduce_scatter:
      return make_reduce_scatter();
    case Kind::gather:
      return make_gather();
    case Kind::scatter:
      return make_scatter();
    case Kind::all_to_all:
      return make_all_to_all();
    case Kind::send:
    case Kind::recv:
    case Kind::send_recv:
      return make_messages();
    case Kind::barrier:
      operations_.push_back(barrier());
  }
}

// No elements may lie anywhere.
void Instance::forget_empty_memory() {
  if (draw_.seed % 5 != 0) return;
  for (Operation& operation : operations_) {
    if (operation.send.count == 0) operation.send.data = nullptr;
    if (operation.receive.count == 0) operation.receive.data = nullptr;
  }
}

void Instance::make_same_count() {
  const std::size_t count = count_at(0);
  Area& in = memory(count);
  Area& out = draw_.place == Place::apart ? memory(count) : in;
  give(in, 0, input(rank_, count));
  const ReduceOp op = reduction();
  const bool one_range = draw_.place == Place::one_range;
  int ranks = size_;
  switch (draw_.kind) {
    case Kind::all_reduce:
      operations_ = {one_range ? all_reduce(in.receive(), op)
                               : all_reduce(in.send(), out.receive(), op)};
      break;
    case Kind::reduce:
      if (rank_ != draw_.root) ranks = 0;
      operations_ = {one_range ? reduce(in.receive(), op, draw_.root)
                               : reduce(in.send(), out.receive(), op, draw_.root)};
      break;
    case Kind::scan:
      ranks = rank_ + 1;
      operations_ = {scan(in.send(), out.receive(), op)};
      break;
    default:
      ranks = rank_;
      operations_ = {exclusive_scan(in.send(), out.receive(), op)};
  }
  if (ranks > 0) await(out, 0, reduced(ranks, count));
}

void Instance::make_broadcast() {
  Area& data = memory(count_at(0));
  if (rank_ == draw_.root) give(data, 0, input(rank_, count_at(0)));
  await(data, 0, input(draw_.root, count_at(0)));
  operations_ = {broadcast(data.receive(), draw_.root)};
}

void Instance::make_all_gather() {
  const Layout& layout = lay_out(draw_.counts[0], draw_.offsets, draw_.seed + 1);
  const auto own = static_cast<std::size_t>(rank_);
  const std::size_t count = layout.counts[own];
  Area& out = memory(layout.extent);
  Area& in = draw_.place == Place::apart ? memory(count) : out;
  const std::size_t at = draw_.place == Place::apart ? 0 : layout.offsets[own];
  give(in, at, input(rank_, count));
  for (int r = 0; r < size_; ++r)
    await(out, layout.offsets[static_cast<std::size_t>(r)], input(r, count_at(r)));
  const SendView send = in.send(at, count);
  operations_ = {draw_.uneven                      ? all_gather(send, out.receive(), blocks(layout))
                 : draw_.place == Place::one_range ? all_gather(out.receive())
                                                   : all_gather(send, out.receive())};
}

void Instance::make_reduce_scatter() {
  const Layout& layout = lay_out(draw_.counts[0], draw_.offsets, draw_.seed + 1);
  const auto own = static_cast<std::size_t>(rank_);
  const std::size_t count = layout.counts[own];
  Area& in = memory(layout.extent);
  Area& out = draw_.place == Place::apart ? memory(count) : in;
  const std::size_t at = draw_.place == Place::apart ? 0 : layout.offsets[own];
  std::size_t packed = 0, total = 0;
  for (int r = 0; r < size_; ++r) total += count_at(r);
  const Bytes mine = input(rank_, total);
  const Bytes all = reduced(size_, total);
  for (std::size_t r = 0; r < layout.counts.size(); ++r) {
    give(in, layout.offsets[r], part(mine, draw_.type, packed, layout.counts[r]));
    if (r == own) await(out, at, part(all, draw_.type, packed, count));
    packed += layout.counts[r];
  }
  const ReceiveView receive = out.receive(at, count);
  const ReduceOp op = reduction();
  operations_ = {draw_.uneven ? reduce_scatter(in.send(), receive, op, blocks(layout))
                 : draw_.place == Place::one_range ? reduce_scatter(in.receive(), op)
                                                   : reduce_scatter(in.send(), receive, op)};
}

// What does not matter on a rank may be missing, or memory that must stay as it is.
void Instance::make_gather() {
  const bool is_root = rank_ == draw_.root;
  const std::size_t count = count_at(rank_);
  if (!is_root) {
    Area& in = memory(count);
    give(in, 0, input(rank_, count));
    ReceiveView ignored;
    if (draw_.seed % 2 == 0) ignored = memory(5).receive();
    operations_ = {draw_.uneven ? gather(in.send(), ignored, draw_.root, Blocks())
                                : gather(in.send(), ignored, draw_.root)};
    return;
  }
  const Layout& layout = lay_out(draw_.counts[0], draw_.offsets, draw_.seed + 1);
  Area& out = memory(layout.extent);
  Area& in = draw_.place == Place::apart ? memory(count) : out;
  const std::size_t at =
      draw_.place == Place::apart ? 0 : layout.offsets[static_cast<std::size_t>(rank_)];
  give(in, at, input(rank_, count));
  for (int r = 0; r < size_; ++r)
    await(out, layout.offsets[static_cast<std::size_t>(r)], input(r, count_at(r)));
  const SendView send = in.send(at, count);
  operations_ = {draw_.uneven ? gather(send, out.receive(), draw_.root, blocks(layout))
                              : gather(send, out.receive(), draw_.root)};
}

void Instance::make_scatter() {
  const bool is_root = rank_ == draw_.root;
  const std::size_t count = count_at(rank_);
  std::size_t before = 0, total = 0;
  for (int r = 0; r < size_; ++r) {
    if (r == rank_) before = total;
    total += count_at(r);
  }
  const Bytes whole = input(draw_.root, total);
  if (!is_root) {
    Area& out = memory(count);
    await(out, 0, part(whole, draw_.type, before, count));
    SendView ignored;
    if (draw_.seed % 2 == 0) ignored = memory(5).send();
    operations_ = {draw_.uneven ? scatter(ignored, out.receive(), draw_.root, Blocks())
                                : scatter(ignored, out.receive(), draw_.root)};
    return;
  }
  const Layout& layout = lay_out(draw_.counts[0], draw_.offsets, draw_.seed + 1);
  Area& in = memory(layout.extent);
  Area& out = draw_.place == Place::apart ? memory(count) : in;
  const std::size_t at =
      draw_.place == Place::apart ? 0 : layout.offsets[static_cast<std::size_t>(rank_)];
  std::size_t packed = 0;
  for (std::size_t r = 0; r < layout.counts.size(); ++r) {
    give(in, layout.offsets[r], part(whole, draw_.type, packed, layout.counts[r]));
    packed += layout.counts[r];
  }
  await(out, at, part(whole, draw_.type, before, count));
  const ReceiveView receive = out.receive(at, count);
  operations_ = {draw_.uneven ? scatter(in.send(), receive, draw_.root, blocks(layout))
                              : scatter(in.send(), receive, draw_.root)};
}

void Instance::make_all_to_all() {
  const auto n = static_cast<std::size_t>(size_);
  const auto own = static_cast<std::size_t>(rank_);
  std::vector<std::size_t> coming(n);
  for (std::size_t r = 0; r < n; ++r) coming[r] = draw_.counts[r][own];
  const Layout& to = lay_out(draw_.counts[own], draw_.offsets, draw_.seed + 1);
  const bool apart = draw_.place == Place::apart;
  const Layout& from = lay_out(coming, draw_.offsets, draw_.seed + (apart ? 2 : 1));
  Area& in = memory(to.extent);
  Area& out = apart ? memory(from.extent) : in;
  // What goes from i to j is as if i were one of n * n ranks.
  const auto message = [&](std::size_t i, std::size_t j) {
    return input(static_cast<int>(i * n + j), draw_.counts[i][j]);
  };
  for (std::size_t r = 0; r < n; ++r) {
    give(in, to.offsets[r], message(own, r));
    await(out, from.offsets[r], message(r, own));
  }
  operations_ = {draw_.uneven ? all_to_all(in.send(), blocks(to), out.receive(), blocks(from))
                              : all_to_all(in.send(), out.receive())};
}

void Instance::make_messages() {
  const int to = (rank_ + draw_.shift) % size_;
  const int from = (rank_ + size_ - draw_.shift) % size_;
  Area& in = memory(count_at(rank_));
  Area& out = draw_.place == Place::apart ? memory(count_at(from)) : in;
  give(in, 0, input(rank_, count_at(rank_)));
  await(out, 0, input(from, count_at(from)));
  if (draw_.messages == Messages::send_recv) {
    operations_ = {send_recv(in.send(), to, out.receive(), from, draw_.tag)};
    return;
  }
  operations_ = {send(in.send(), to, draw_.tag), recv(out.receive(), from, draw_.tag)};
  if (draw_.seed % 2 == 0) std::swap(operations_[0], operations_[1]);
}

}  // namespace tutti::fuzz
