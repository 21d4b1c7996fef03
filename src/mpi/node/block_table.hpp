#pragma once

#include <algorithm>
#include <vector>

#include "mpi/node/movement.hpp"

namespace tutti::mpi::node {

/// Blocks of a node's ranks in elements, kept, so that an operation allocates nothing.
class BlockTable {
 public:
  explicit BlockTable(std::size_t ranks)
      : counts_(ranks), offsets_(ranks), blocks_(counts_, offsets_) {}
  BlockTable(const BlockTable&) = delete;
  BlockTable& operator=(const BlockTable&) = delete;

  void set(std::size_t rank, std::size_t count, std::size_t offset = 0) noexcept {
    counts_[rank] = count;
    offsets_[rank] = offset;
  }
  void clear() noexcept { std::fill(counts_.begin(), counts_.end(), 0); }
  /// To be filled from outside, before `pack`.
  std::size_t* counts() noexcept { return counts_.data(); }
  std::size_t longest() const noexcept { return *std::max_element(counts_.begin(), counts_.end()); }

  /// Lays the blocks side by side in the order of ranks; returns their sum.
  std::size_t pack() noexcept {
    std::size_t total = 0;
    for (std::size_t r = 0; r < counts_.size(); ++r) {
      offsets_[r] = total;
      total += counts_[r];
    }
    return total;
  }

  ByteBlocks in_bytes(std::size_t element) const noexcept {
    return {BlockLayout(blocks_), element};
  }

 private:
  std::vector<std::size_t> counts_;
  std::vector<std::size_t> offsets_;
  Blocks blocks_;
};

}  // namespace tutti::mpi::node
