#include "staged/stage.hpp"

#include "core/backoff.hpp"
#include "core/block_layout.hpp"
#include "core/visit_type.hpp"
#include "cuda/memory.hpp"

namespace tutti::staged {

namespace {

MemoryKind inner_kind(Route route) noexcept {
  return route == Route::through_host ? MemoryKind::host : MemoryKind::device;
}

bool scalar_on_device(const ReduceOp& op) noexcept {
  return op.kind() == ReduceOp::Kind::pre_multiplied && op.device_scalar() != nullptr;
}

// One of the right type, before its value is known.
ReduceOp host_scalar(DataType type, const unsigned char* bytes) {
  return visit_type(type, [&](auto tag) {
    typename decltype(tag)::type value{};
    __builtin_memcpy(&value, bytes, sizeof value);
    return pre_multiplied(value);
  });
}

}  // namespace

Operation in_inner_memory(const Operation& outer, Route route) noexcept {
  Operation inner = outer;
  for (MemoryView* const side : {&inner.send, &inner.receive}) {
    if (side->given) side->kind = inner_kind(route);
  }
  constexpr unsigned char zeros[16] = {};
  if (route == Route::through_host && scalar_on_device(outer.op))
    inner.op = host_scalar(outer.op.scalar_type(), zeros);
  return inner;
}

std::size_t divisible_elements(const Operation& op, int size) noexcept {
  const auto n = static_cast<std::size_t>(size);
  if (op.uneven) return 0;
  switch (op.kind) {
    case OperationKind::all_reduce:
    case OperationKind::reduce:
    case OperationKind::scan:
    case OperationKind::exclusive_scan:
    case OperationKind::all_gather:
    case OperationKind::gather:
      return op.send.count;
    case OperationKind::broadcast:
    case OperationKind::scatter:
    case OperationKind::reduce_scatter:
      return op.receive.count;
    case OperationKind::all_to_all:
      return op.send.count / n;
    // The peer may take its part within a group, or as half of a send_recv.
    case OperationKind::send:
    case OperationKind::recv:
    case OperationKind::send_recv:
    case OperationKind::barrier:
      return 0;
  }
  __builtin_unreachable();
}

Stage::Stage(const Operation& outer, Route route, int rank, int size)
    : Stage(outer, route, rank, size, 0, static_cast<std::size_t>(-1)) {}

Stage::Stage(const Operation& outer, Route route, int rank, int size, std::size_t begin,
             std::size_t count)
    : outer_(outer),
      route_(route),
      rank_(rank),
      size_(size),
      element_(size_of((outer.send.given ? outer.send : outer.receive).type)),
      inner_(in_inner_memory(outer, route)) {
  build({begin, count});
}

void Stage::build(Range range) {
  inner_.one_range = false;
  switch (outer_.kind) {
    case OperationKind::all_reduce:
    case OperationKind::reduce:
    case OperationKind::broadcast:
    case OperationKind::scan:
    case OperationKind::exclusive_scan:
    case OperationKind::send:
    case OperationKind::recv:
    case OperationKind::send_recv:
      return whole_ranges(range);
    case OperationKind::all_gather:
    case OperationKind::reduce_scatter:
    case OperationKind::gather:
    case OperationKind::scatter:
    case OperationKind::all_to_all:
      return blocks(range);
    case OperationKind::barrier:
      return;
  }
}

// One range of elements on each side. Reductions and scans are done in place there.
void Stage::whole_ranges(Range range) {
  const auto cut = [&](const MemoryView& side) {
    return std::vector<Range>{{range.begin, std::min(range.count, side.count)}};
  };
  const bool broadcast = outer_.kind == OperationKind::broadcast;
  const bool gives = !broadcast || rank_ == outer_.root;
  const bool takes =
      broadcast ? rank_ != outer_.root : outer_.kind != OperationKind::exclusive_scan || rank_ != 0;
  const MemoryView& source = broadcast ? outer_.receive : outer_.send;
  const bool shares = broadcast || (outer_.send.given && outer_.receive.given &&
                                    outer_.kind != OperationKind::send_recv);
  if (shares) {
    const std::size_t count = cut(source)[0].count;
    receive_ = buffer(count * element_);
    for (MemoryView* const side : {&inner_.send, &inner_.receive}) {
      if (!side->given) continue;
      side->data = receive_.data();
      side->count = count;
    }
    auto* const at = static_cast<std::byte*>(source.data) + range.begin * element_;
    auto* const back = static_cast<std::byte*>(outer_.receive.data) + range.begin * element_;
    if (gives) in_.push_back({receive_.data(), at, count * element_});
    if (takes) out_.push_back({back, receive_.data(), count * element_});
    return;
  }
  if (outer_.send.given) sent(inner_.send, cut(outer_.send));
  if (outer_.receive.given) received(inner_.receive, cut(outer_.receive));
}

std::vector<Stage::Range> Stage::ranges_of(const MemoryView& all, const Blocks& blocks, Range range,
                                           std::vector<std::size_t>& counts) const {
  const BlockLayout layout = outer_.uneven
                                 ? BlockLayout(blocks)
                                 : BlockLayout(all.count / static_cast<std::size_t>(size_));
  std::vector<Range> ranges;
  for (int r = 0; r < size_; ++r) {
    ranges.push_back({layout.offset(r) + range.begin, std::min(range.count, layout.count(r))});
    counts.push_back(ranges.back().count);
  }
  return ranges;
}

// A block for each rank on one side or on both, packed in the inner memory.
void Stage::blocks(Range range) {
  const bool many_sent = outer_.kind == OperationKind::reduce_scatter ||
                         outer_.kind == OperationKind::scatter ||
                         outer_.kind == OperationKind::all_to_all;
  const bool many_received = outer_.kind == OperationKind::all_gather ||
                             outer_.kind == OperationKind::gather ||
                             outer_.kind == OperationKind::all_to_all;
  const auto one = [&](const MemoryView& side) {
    return std::vector<Range>{{range.begin, std::min(range.count, side.count)}};
  };
  if (outer_.send.given)
    sent(inner_.send, many_sent ? ranges_of(outer_.send, outer_.send_blocks, range, send_counts_)
                                : one(outer_.send));
  if (outer_.receive.given)
    received(inner_.receive, many_received ? ranges_of(outer_.receive, outer_.receive_blocks, range,
                                                       receive_counts_)
                                           : one(outer_.receive));
  if (!outer_.uneven) return;
  if (!send_counts_.empty()) inner_.send_blocks = Blocks(send_counts_);
  if (!receive_counts_.empty()) inner_.receive_blocks = Blocks(receive_counts_);
}

cuda::PooledBuffer Stage::buffer(std::size_t bytes) const {
  if (bytes == 0) return {};
  return {route_ == Route::through_host ? cuda::PoolKind::pinned : cuda::PoolKind::device, bytes};
}

void Stage::sent(MemoryView& inner, const std::vector<Range>& ranges) {
  inner.count = 0;
  for (const Range& range : ranges) inner.count += range.count;
  send_ = buffer(inner.count * element_);
  inner.data = send_.data();
  std::byte* to = send_.data();
  for (const auto& [begin, count] : ranges) {
    if (count == 0) continue;
    in_.push_back(
        {to, static_cast<std::byte*>(outer_.send.data) + begin * element_, count * element_});
    to += count * element_;
  }
}

void Stage::received(MemoryView& inner, const std::vector<Range>& ranges) {
  inner.count = 0;
  for (const Range& range : ranges) inner.count += range.count;
  receive_ = buffer(inner.count * element_);
  inner.data = receive_.data();
  const std::byte* from = receive_.data();
  for (const auto& [begin, count] : ranges) {
    if (count == 0) continue;
    out_.push_back(
        {static_cast<std::byte*>(outer_.receive.data) + begin * element_, from, count * element_});
    from += count * element_;
  }
}

void Stage::do_copies(const std::vector<Copy>& copies, cuda::StreamHandle stream) {
  for (const Copy& copy : copies) cuda::copy_on(stream, copy.to, copy.from, copy.bytes);
}

void Stage::read_scalar(cuda::StreamHandle stream) {
  if (route_ != Route::through_host || !scalar_on_device(outer_.op)) return;
  const cuda::PooledBuffer place(cuda::PoolKind::pinned, 16);
  cuda::copy_on(stream, place.data(), outer_.op.device_scalar(), size_of(outer_.op.scalar_type()));
  cuda::Event copied;
  copied.record(stream);
  for (Backoff backoff; !copied.done(); backoff.pause()) {
  }
  inner_.op =
      host_scalar(outer_.op.scalar_type(), reinterpret_cast<const unsigned char*>(place.data()));
}

}  // namespace tutti::staged
