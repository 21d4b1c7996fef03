#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "communicator_state.hpp"
#include "tutti/backend.hpp"
#include "tutti/work.hpp"

namespace tutti {

/// A task under way; of its own, or shared with the plan that it was started from.
struct Work::State {
 public:
  State(std::shared_ptr<Communicator::State> owner, const Operation& first, Deadline deadline,
        std::shared_ptr<Task> task)
      : owner_(std::move(owner)), first_(first), deadline_(deadline), task_(std::move(task)) {}

  Task& task() noexcept { return *task_; }
  /// The call that started it goes on with the next one here.
  void keep_ticket() noexcept { ticket_ = owner_->tracker().keep(); }
  void wait();
  bool wait_until(Deadline limit);
  bool test();
  void join(cudaStream_t stream);

 private:
  std::shared_ptr<Communicator::State> owner_;
  Operation first_;    // for messages
  Deadline deadline_;  // of the operation
  Tracker::Ticket ticket_{};
  std::shared_ptr<Task> task_;
};

struct Plan::State {
  State(std::shared_ptr<Communicator::State> communicator, OperationList group,
        std::unique_ptr<Task> prepared)
      : owner(std::move(communicator)),
        operations(group.begin(), group.end()),
        task(std::move(prepared)) {
    // The caller's arrays need not live as long. The task has what it needs of them; comparing
    // across ranks takes the counts and offsets.
    for (Operation& operation : operations) {
      keep(operation.send_blocks);
      keep(operation.receive_blocks);
    }
  }

  OperationList list() const noexcept { return {operations.data(), operations.size()}; }

  std::shared_ptr<Communicator::State> owner;
  std::vector<Operation> operations;
  std::shared_ptr<Task> task;

 private:
  void keep(Blocks& blocks) {
    if (!blocks.given()) return;
    const auto& counts = copies.emplace_back(blocks.counts(), blocks.counts() + blocks.size());
    if (!blocks.has_offsets()) {
      blocks = Blocks(counts);
      return;
    }
    const auto& offsets =
        copies.emplace_back(blocks.offsets(), blocks.offsets() + blocks.offsets_size());
    blocks = Blocks(counts, offsets);
  }

  std::deque<std::vector<std::size_t>> copies;
};

}  // namespace tutti
