#pragma once

#include <memory>
#include <optional>

#include "communicator_state.hpp"
#include "kept_operations.hpp"
#include "tutti/backend.hpp"
#include "tutti/work.hpp"

namespace tutti {

/// A task under way; of its own, or shared with the plan that it was started from.
struct Work::State {
 public:
<<<<<<< HEAD
  State(std::shared_ptr<Communicator::State> owner, OperationList group, Deadline deadline)
      : owner_(std::move(owner)), first_(group.front()), deadline_(deadline) {
    if (KeptOperations::needed(group)) kept_.emplace(group);
    own_ = owner_->dispatch().prepare(kept_ ? kept_->list() : group);
    task_ = own_.get();
  }
  State(std::shared_ptr<Communicator::State> owner, const Operation& first, Deadline deadline,
        Task& lent)
      : owner_(std::move(owner)), first_(first), deadline_(deadline), task_(&lent) {}
=======
  State(std::shared_ptr<Communicator::State> owner, const Operation& first, Deadline deadline,
        std::shared_ptr<Task> task)
      : owner_(std::move(owner)), first_(first), deadline_(deadline), task_(std::move(task)) {}
>>>>>>> recorder

  Task& task() noexcept { return *task_; }
  /// The call that started it goes on with the next one here.
  void keep_ticket() noexcept { ticket_ = owner_->tracker().keep(); }
  void wait();
  bool wait_until(Deadline limit);
  bool test();
  void join(cudaStream_t stream);

 private:
  std::optional<KeptOperations> kept_;  // longer than the task
  std::shared_ptr<Communicator::State> owner_;
  Operation first_;    // for messages
  Deadline deadline_;  // of the operation
  Tracker::Ticket ticket_{};
  std::shared_ptr<Task> task_;
};

struct Plan::State {
<<<<<<< HEAD
  State(std::shared_ptr<Communicator::State> communicator, OperationList group)
      : owner(std::move(communicator)), operations(group) {
    task = owner->dispatch().prepare(list());
=======
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
>>>>>>> recorder
  }

  OperationList list() const noexcept { return operations.list(); }

  std::shared_ptr<Communicator::State> owner;
<<<<<<< HEAD
  KeptOperations operations;
  std::unique_ptr<Task> task;
=======
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
>>>>>>> recorder
};

}  // namespace tutti
