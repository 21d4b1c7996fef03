#pragma once

#include <memory>
#include <optional>

#include "communicator_state.hpp"
#include "kept_operations.hpp"
#include "tutti/backend.hpp"
#include "tutti/work.hpp"

namespace tutti {

/// A task under way; of its own, or lent by a plan.
struct Work::State {
 public:
  State(std::shared_ptr<Communicator::State> owner, OperationList group, Deadline deadline)
      : owner_(std::move(owner)), first_(group.front()), deadline_(deadline) {
    if (KeptOperations::needed(group)) kept_.emplace(group);
    own_ = owner_->dispatch().prepare(kept_ ? kept_->list() : group);
    task_ = own_.get();
  }
  State(std::shared_ptr<Communicator::State> owner, const Operation& first, Deadline deadline,
        Task& lent)
      : owner_(std::move(owner)), first_(first), deadline_(deadline), task_(&lent) {}

  Task& task() noexcept { return *task_; }
  void wait();
  bool wait_until(Deadline limit);
  bool test();
  void join(cudaStream_t stream);

 private:
  std::optional<KeptOperations> kept_;  // longer than the task
  std::shared_ptr<Communicator::State> owner_;
  Operation first_;    // for messages
  Deadline deadline_;  // of the operation
  std::unique_ptr<Task> own_;
  Task* task_;
};

struct Plan::State {
  State(std::shared_ptr<Communicator::State> communicator, OperationList group)
      : owner(std::move(communicator)), operations(group) {
    task = owner->dispatch().prepare(list());
  }

  OperationList list() const noexcept { return operations.list(); }

  std::shared_ptr<Communicator::State> owner;
  KeptOperations operations;
  std::unique_ptr<Task> task;
};

}  // namespace tutti
