#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/activity.hpp"
#include "mpi/node/backend.hpp"
#include "mpi/session.hpp"
#include "nccl/backend.hpp"
#include "staged/backend.hpp"
#include "tutti/backend.hpp"
#include "tutti/communicator.hpp"

namespace tutti {

/// Decides which backend serves an operation. The only place that knows all backends.
class Dispatch {
 public:
  /// `device`: that of a parent communicator, or none.
  Dispatch(std::shared_ptr<mpi::Session> session, Device device);

  /// The backend for a resolved operation. @throws Error (unsupported) with every backend's reason.
  Backend& backend_for(const Operation& operation) const;

  Choice choose(const Operation& operation) const;
  /// Whose name a call of a resolved group has, by its first operation, before it is done.
  std::string_view server_of(OperationList group, Verb verb) const;
  /// `tell` is called whenever the server turns out to be MPI.
  void when_left_to_mpi(std::function<void()> tell) const {
    node_->when_left_to_mpi(std::move(tell));
  }

  /// Does a resolved group; all of it is under way together, whatever backends serve it.
  void run(OperationList group, Deadline deadline) const {
    if (group.size() == 1 && node_leads_ && !serves_device(group[0])) [[likely]]
      return node_->run(group, deadline);  // which takes every host operation
    run_by_parts(group, deadline);
  }
  std::unique_ptr<Task> prepare(OperationList group) const;
  void enqueue(OperationList group, cudaStream_t stream, Deadline deadline) const {
    if (group.size() == 1 && serves_device(group[0]) && nccl_->serves(group[0])) [[likely]]
      return nccl_->enqueue(group, stream, deadline);  // which comes first on a stream
    enqueue_by_parts(group, stream, deadline);
  }

  /// The NCCL call that a resolved operation, enqueued, comes to each time; if there is one.
  std::optional<nccl::SingleCall> repeatable(const Operation& operation) const {
    if (!serves_device(operation)) return std::nullopt;
    return nccl_->repeatable(operation);
  }
  bool repeat(const nccl::SingleCall& call, cudaStream_t stream) const {
    return nccl_->repeat(call, stream);
  }

  /// Collective if the operation is one for NCCL and NCCL is not joined yet; otherwise nothing.
  void join_for(const Operation& operation, const Options& options) const {
    if (serves_device(operation) || options.host_path == HostPath::nccl) [[unlikely]]
      join_if_needed(operation);
  }
  /// Collective. For `enqueue`, a barrier included.
  void join_for_stream() const { nccl_->join(own_deadline()); }
  /// NCCL is joined, or cannot be: no operation joins it.
  bool settled() const noexcept { return nccl_->state() != nccl::NcclBackend::State::apart; }
  /// Collective; see nccl::Window.
  std::shared_ptr<void> register_window(void* memory, std::size_t bytes) const {
    return nccl_->register_window(memory, bytes, own_deadline());
  }
  /// Collective. As Options::join and Options::nccl ask for.
  void join_at_once() const;
  /// True, once, after a `join` that failed on all ranks together and so left everything whole.
  bool failed_together() const noexcept { return nccl_->take_failed_together(); }
  /// The communicator is broken: nothing that is under way can end any more, and who waits for this
  /// rank where that can be seen is told.
  void give_up() const noexcept {
    node_->give_up();
    nccl_->give_up();
  }

  Device device() const { return nccl_->device(); }
  /// The same, or none if nothing has asked for it yet.
  Device chosen_device() const { return nccl_->chosen_device(); }
  nccl::NcclBackend& nccl() const noexcept { return *nccl_; }

 private:
  using Candidates = std::vector<Backend*>;
  using Chosen = Backend& (Dispatch::*)(const Operation&) const;
  struct Part {
    Backend* backend;
    std::vector<Operation> operations;
  };

  const Candidates& candidates(const Operation& operation) const noexcept;
  /// Why the backends that come before the one that serves it do not.
  std::string reasons_against(const Operation& operation) const;
  static Chosen chosen_for(OperationList group) noexcept;
  static bool are_host_messages(OperationList group) noexcept;
  void run_by_parts(OperationList group, Deadline deadline) const;
  void enqueue_by_parts(OperationList group, cudaStream_t stream, Deadline deadline) const;
  bool same_backend(OperationList group, Chosen chosen) const;
  std::vector<Part> parts(OperationList group, Chosen chosen) const;
  /// The same for `enqueue`: a barrier has no memory that would tell the backend.
  Backend& backend_on_stream(const Operation& operation) const;
  void join_if_needed(const Operation& operation) const;
  /// Of joining NCCL.
  Deadline own_deadline() const;
  static bool serves_device(const Operation& operation) noexcept {
    return (operation.send.given && operation.send.kind == MemoryKind::device) ||
           (operation.receive.given && operation.receive.kind == MemoryKind::device);
  }

  std::shared_ptr<mpi::Session> session_;
  std::vector<std::unique_ptr<Backend>> backends_;
  mpi::node::NodeBackend* node_ = nullptr;
  bool node_leads_ = false;  // nothing comes before it for host memory
  nccl::NcclBackend* nccl_ = nullptr;
  staged::StagedBackend* staged_ = nullptr;
  // In order of preference.
  Candidates for_host_;
  Candidates for_device_;
  Backend* mpi_ = nullptr;
};

}  // namespace tutti
