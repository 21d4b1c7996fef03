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
  State(std::shared_ptr<Communicator::State> owner, OperationList group, Deadline deadline)
      : owner_(std::move(owner)), first_(group.front()), deadline_(deadline) {
    if (KeptOperations::needed(group)) kept_.emplace(group);
    task_ = owner_->dispatch().prepare(kept_ ? kept_->list() : group);
  }
  State(std::shared_ptr<Communicator::State> owner, const Operation& first, Deadline deadline,
        std::shared_ptr<Task> shared)
      : owner_(std::move(owner)), first_(first), deadline_(deadline), task_(std::move(shared)) {}

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
  /// Shared with the works that were started from it, which may outlive it.
  struct Prepared {
    explicit Prepared(OperationList group) : operations(group) {}
    KeptOperations operations;
    std::unique_ptr<Task> task;
  };

  State(std::shared_ptr<Communicator::State> communicator, OperationList group)
      : owner(std::move(communicator)), prepared(std::make_shared<Prepared>(group)) {
    prepared->task = owner->dispatch().prepare(list());
  }

  OperationList list() const noexcept { return prepared->operations.list(); }

  Task& task() const noexcept { return *prepared->task; }
  std::shared_ptr<Task> shared_task() const noexcept { return {prepared, prepared->task.get()}; }

  std::shared_ptr<Communicator::State> owner;
  std::shared_ptr<Prepared> prepared;
};

}  // namespace tutti
