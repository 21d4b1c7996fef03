#include "fuzz/instance.hpp"

#include <numeric>

#include "fuzz/places.hpp"
#include "fuzz/user_function.hpp"
#include "support/elements.hpp"
#include "support/reference.hpp"

namespace tutti::fuzz {

using test::Area;
using test::Bytes;
using Kind = OperationKind;

Instance::Instance(const Draw& draw, int rank, int size) : draw_(draw), rank_(rank), size_(size) {
  make();
  forget_empty_memory();
}

Area& Instance::memory(std::size_t count) {
  if (areas_used_ == areas_.size())
    areas_.emplace_back(memory_for(draw_.on_device), draw_.type, count, draw_.seed % 3);
  Area& area = areas_[areas_used_++];
  area.put(0, test::noise(draw_.type, rank_ + 100, count, draw_.seed + round_));
  return area;
}

const Instance::Layout& Instance::lay_out(std::vector<std::size_t> counts, bool with_offsets,
                                          std::uint64_t seed) {
  Random random(seed);
  Layout layout;
  layout.counts = std::move(counts);
  layout.offsets.resize(layout.counts.size());
  std::vector<std::size_t> order(layout.counts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (with_offsets)
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  for (const std::size_t i : order) {
    if (with_offsets) layout.extent += random.below(4);
    layout.offsets[i] = layout.extent;
    layout.extent += layout.counts[i];
  }
  if (with_offsets) layout.extent += random.below(4);
  return layouts_.emplace_back(std::move(layout));
}

Blocks Instance::blocks(const Layout& layout) const {
  return draw_.offsets ? Blocks(layout.counts, layout.offsets) : Blocks(layout.counts);
}

ReduceOp Instance::reduction() const {
  if (draw_.reduction == ReduceOp::Kind::user) return user_function();
  return test::reduce_op(draw_.reduction, draw_.type);
}

Bytes Instance::input(int rank, std::size_t count) const {
  const std::uint32_t seed = draw_.seed + 31 * round_;
  return draw_.reduces() ? test::pattern(draw_.type, draw_.reduction, rank, count, seed)
                         : test::noise(draw_.type, rank, count, seed);
}

Bytes Instance::reduced(int ranks, std::size_t count) const {
  std::vector<Bytes> inputs;
  for (int rank = 0; rank < ranks; ++rank) inputs.push_back(input(rank, count));
  return draw_.reduction == ReduceOp::Kind::user
             ? reduced_by_user(inputs)
             : test::reduced(draw_.type, draw_.reduction, inputs);
}

Bytes Instance::part(const Bytes& whole, DataType type, std::size_t first, std::size_t count) {
  const auto begin = whole.begin() + static_cast<std::ptrdiff_t>(first * test::element_size(type));
  return {begin, begin + static_cast<std::ptrdiff_t>(count * test::element_size(type))};
}

void Instance::give(Area& area, std::size_t offset, Bytes bytes) {
  area.put(offset, bytes);
}

void Instance::await(Area& area, std::size_t offset, Bytes bytes) {
  results_.push_back({&area, offset, std::move(bytes)});
}

void Instance::arm(std::uint32_t round) {
  round_ = round;
  areas_used_ = 0;
  layouts_.clear();
  results_.clear();
  operations_.clear();
  make();
  forget_empty_memory();
}

void Instance::forget_blocks() {
  for (Layout& layout : layouts_) {
    layout.counts.assign(layout.counts.size(), ~std::size_t{0} / 3);
    layout.offsets.assign(layout.offsets.size(), ~std::size_t{0} / 5);
  }
}

testing::AssertionResult Instance::is_done() {
  for (const Piece& piece : results_) piece.area->expect(piece.offset, piece.bytes);
  return is_untouched();
}

testing::AssertionResult Instance::is_untouched() {
  for (Area& area : areas_)
    if (testing::AssertionResult same = area.is_unchanged(); !same) return same;
  return testing::AssertionSuccess();
}

}  // namespace tutti::fuzz
