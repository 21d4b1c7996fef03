#include "fuzz/draw.hpp"

#include <sstream>

#include "support/elements.hpp"
#include "support/formats.hpp"
#include "support/reference.hpp"

namespace tutti::fuzz {
namespace {

using Kind = OperationKind;

constexpr Kind kinds[] = {
    Kind::all_reduce,     Kind::all_reduce, Kind::reduce,    Kind::broadcast,  Kind::all_gather,
    Kind::reduce_scatter, Kind::gather,     Kind::scatter,   Kind::all_to_all, Kind::scan,
    Kind::exclusive_scan, Kind::send,       Kind::send_recv, Kind::barrier,
};

bool has_blocks(Kind kind) {
  return kind == Kind::all_gather || kind == Kind::reduce_scatter || kind == Kind::gather ||
         kind == Kind::scatter || kind == Kind::all_to_all;
}

std::size_t draw_count(Random& random, const Limits& limits) {
  const std::size_t magnitude = random.below(100);
  if (magnitude < 8) return 0;
  if (magnitude < 20) return 1;
  if (magnitude < 70) return 2 + random.below(40);
  if (magnitude < 95) return random.below(2500);
  return random.below(limits.largest_count);
}

bool is_exact(const Draw& draw) {
  if (test::is_small_float(draw.type)) return false;
  return test::is_integer(draw.type) || draw.reduction != ReduceOp::Kind::avg;
}

void draw_reduction(Random& random, const Limits& limits, Draw& draw) {
  const bool scans = draw.kind == Kind::scan || draw.kind == Kind::exclusive_scan;
  for (;;) {
    draw.type = random.pick(all_data_types);
    draw.reduction = random.pick(all_reduce_kinds);
    if (!test::defined(draw.reduction, draw.type)) continue;
    if (scans && draw.reduction == ReduceOp::Kind::avg) continue;
    // The user's functions here are on one type.
    if (draw.reduction == ReduceOp::Kind::user) draw.type = DataType::uint64;
    const bool by_nccl = limits.exact_reductions_only || draw.on_device;
    if (!by_nccl || is_exact(draw)) return;
  }
}

void draw_place(Random& random, Draw& draw) {
  switch (draw.kind) {
    case Kind::all_reduce:
    case Kind::reduce:
      draw.place = random.pick({Place::apart, Place::one_range, Place::equal_pointers});
      break;
    case Kind::all_gather:
    case Kind::reduce_scatter:
      draw.place = random.pick({Place::apart, Place::apart, Place::equal_pointers,
                                draw.uneven ? Place::apart : Place::one_range});
      break;
    case Kind::broadcast:
      draw.place = Place::one_range;
      break;
    case Kind::barrier:
      break;
    default:
      draw.place = random.pick({Place::apart, Place::apart, Place::equal_pointers});
  }
}

std::vector<std::size_t> block_row(Random& random, std::size_t n, const Limits& limits) {
  std::vector<std::size_t> row(n);
  for (std::size_t& count : row) count = draw_count(random, limits);
  return row;
}

void draw_blocks(Random& random, std::size_t n, const Limits& limits, Draw& draw) {
  if (!draw.uneven) {
    draw.counts.assign(draw.kind == Kind::all_to_all ? n : 1,
                       std::vector<std::size_t>(n, draw_count(random, limits)));
    return;
  }
  draw.offsets = random.chance(50);
  draw.counts = {block_row(random, n, limits)};
  if (draw.kind != Kind::all_to_all) return;
  while (draw.counts.size() < n) draw.counts.push_back(block_row(random, n, limits));
  if (draw.place == Place::apart) return;
  // In place what goes and what comes lie in the same blocks.
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) draw.counts[i][j] = draw.counts[j][i];
}

void draw_messages(Random& random, int size, Draw& draw) {
  draw.messages = draw.kind == Kind::send ? Messages::send_and_recv : Messages::send_recv;
  draw.shift = random.rank_of(size);
  draw.tag = draw.on_device || random.chance(50) ? 0 : static_cast<int>(random.below(28000));
  draw.place =
      draw.kind == Kind::send_recv && random.chance(25) ? Place::equal_pointers : Place::apart;
}

}  // namespace

Draw draw_operation(Random& random, int size, const Limits& limits) {
  const auto n = static_cast<std::size_t>(size);
  Draw draw;
  draw.kind = random.pick(kinds);
  draw.seed = static_cast<std::uint32_t>(random.next());
  draw.root = random.rank_of(size);
  draw.on_device = random.chance(limits.device_percent);
  draw.type = random.pick(all_data_types);
  if (draw.reduces()) draw_reduction(random, limits, draw);
  draw.uneven = has_blocks(draw.kind) && random.chance(50);
  draw_place(random, draw);
  if (draw.kind == Kind::send || draw.kind == Kind::send_recv) {
    draw_messages(random, size, draw);
    draw.counts = {block_row(random, n, limits)};
    if (draw.place != Place::apart) draw.counts[0].assign(n, draw.counts[0][0]);
  } else if (has_blocks(draw.kind)) {
    draw_blocks(random, n, limits, draw);
  } else {
    draw.counts = {{draw_count(random, limits)}};
  }
  return draw;
}

bool Draw::reduces() const noexcept {
  return kind == Kind::all_reduce || kind == Kind::reduce || kind == Kind::reduce_scatter ||
         kind == Kind::scan || kind == Kind::exclusive_scan;
}

bool Draw::is_rooted() const noexcept {
  return kind == Kind::reduce || kind == Kind::broadcast || kind == Kind::gather ||
         kind == Kind::scatter;
}

std::string Draw::text() const {
  std::ostringstream words;
  words << to_string(kind) << ' ' << to_string(type);
  if (reduces()) words << ' ' << to_string(reduction);
  if (is_rooted()) words << " root " << root;
  words << (place == Place::apart       ? " apart"
            : place == Place::one_range ? " one range"
                                        : " equal pointers");
  if (on_device) words << " on the device";
  if (uneven) words << (offsets ? " uneven with offsets" : " uneven");
  if (messages != Messages::none) words << " shift " << shift << " tag " << tag;
  words << " counts";
  for (const auto& row : counts) {
    words << " [";
    for (const std::size_t count : row) words << ' ' << count;
    words << " ]";
  }
  return words.str();
}

}  // namespace tutti::fuzz
