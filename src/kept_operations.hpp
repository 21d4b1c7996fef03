#pragma once

#include <deque>
#include <vector>

#include "tutti/operation.hpp"

namespace tutti {

/// Copies of operations with their block counts and offsets: the caller's arrays may go once the
/// call that took them has returned.
class KeptOperations {
 public:
  explicit KeptOperations(OperationList group) : operations_(group.begin(), group.end()) {
    for (Operation& operation : operations_) {
      keep(operation.send_blocks);
      keep(operation.receive_blocks);
    }
  }
  KeptOperations(const KeptOperations&) = delete;
  KeptOperations& operator=(const KeptOperations&) = delete;

  OperationList list() const noexcept { return {operations_.data(), operations_.size()}; }
  const Operation& front() const noexcept { return operations_.front(); }

  /// Whether there is anything that a plain copy would leave with the caller.
  static bool needed(OperationList group) noexcept {
    for (const Operation& operation : group)
      if (operation.send_blocks.given() || operation.receive_blocks.given()) return true;
    return false;
  }

 private:
  void keep(Blocks& blocks) {
    if (!blocks.given()) return;
    const auto& counts = arrays_.emplace_back(blocks.counts(), blocks.counts() + blocks.size());
    if (!blocks.has_offsets()) {
      blocks = Blocks(counts);
      return;
    }
    const auto& offsets =
        arrays_.emplace_back(blocks.offsets(), blocks.offsets() + blocks.offsets_size());
    blocks = Blocks(counts, offsets);
  }

  std::vector<Operation> operations_;
  std::deque<std::vector<std::size_t>> arrays_;
};

}  // namespace tutti
