#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "tutti/operation.hpp"

namespace tutti {

/// Where each rank's block lies, for equal and uneven blocks alike.
class BlockLayout {
 public:
  BlockLayout() = default;
  explicit BlockLayout(std::size_t equal_count) noexcept : equal_(equal_count) {}
  explicit BlockLayout(const Blocks& blocks) noexcept : blocks_(&blocks) {}

  std::size_t count(int rank) const noexcept {
    return blocks_ == nullptr ? equal_ : blocks_->counts()[rank];
  }

  /// Linear in `rank` when uneven blocks are packed.
  std::size_t offset(int rank) const noexcept {
    if (blocks_ == nullptr) return equal_ * static_cast<std::size_t>(rank);
    if (blocks_->has_offsets()) return blocks_->offsets()[rank];
    std::size_t before = 0;
    for (int i = 0; i < rank; ++i) before += blocks_->counts()[i];
    return before;
  }

  bool same_as(const Blocks& other) const noexcept {
    const BlockLayout layout(other);
    for (std::size_t i = 0; i < other.size(); ++i) {
      const int rank = static_cast<int>(i);
      if (count(rank) != layout.count(rank) || offset(rank) != layout.offset(rank)) return false;
    }
    return true;
  }

  /// True if two blocks with offsets share elements; names the two.
  bool find_overlap(std::size_t& first, std::size_t& second) const {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < blocks_->size(); ++i)
      if (blocks_->counts()[i] != 0) order.push_back(i);
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return blocks_->offsets()[a] < blocks_->offsets()[b];
    });
    for (std::size_t i = 1; i < order.size(); ++i) {
      first = order[i - 1];
      second = order[i];
      if (blocks_->offsets()[first] + blocks_->counts()[first] > blocks_->offsets()[second])
        return true;
    }
    return false;
  }

 private:
  const Blocks* blocks_ = nullptr;
  std::size_t equal_ = 0;
};

}  // namespace tutti
