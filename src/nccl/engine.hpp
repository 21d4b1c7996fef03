#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "cuda/graph.hpp"
#include "cuda/memory.hpp"
#include "cuda/stream.hpp"
#include "nccl/backend.hpp"
#include "nccl/facts.hpp"
#include "nccl/handle.hpp"
#include "nccl/registry.hpp"
#include "nccl/table.hpp"

namespace tutti::nccl {

/// What a joined communicator keeps on its device; gone in the right order with it.
struct Resources {
  Resources();
  ~Resources();

  cuda::Stream ordered{
      cuda::Legacy::ordered};               ///< of `run`: the legacy stream orders it, at no cost
  cuda::Stream apart{cuda::Legacy::apart};  ///< of `start`: computation goes on beside it
  cuda::Event mark;                         ///< reused for each ordering between two streams
  void* word = nullptr;                     ///< of barriers
};

/// What is put on a stream: operations, or the graph that they were captured in.
struct Load {
  OperationList operations;
  const cuda::Graph* graph = nullptr;
};

class NcclTask;

class Engine final : public NcclBackend {
 public:
  Engine(std::shared_ptr<Bootstrap> bootstrap, Device device);
  ~Engine() override;

  std::string_view name() const noexcept override { return "nccl"; }
  int rank() const noexcept override { return rank_; }
  int size() const noexcept override { return size_; }
  Support supports(const Operation& operation) const override;
  bool serves(const Operation& operation) const override {
    return state_ == State::joined
               ? on_device(operation) && obstacle_to(operation, abilities_) == Obstacle::none
               : supports(operation).yes;
  }
  std::optional<SingleCall> repeatable(const Operation& operation) const override;
  [[gnu::hot]] bool repeat(const SingleCall& call, cudaStream_t stream) override;
  std::string algorithm(const Operation& operation) const override;
  void run(OperationList operations, Deadline deadline) override {
    run(Load{operations}, deadline);
  }
  std::unique_ptr<Task> prepare(OperationList operations) override;
  void enqueue(OperationList operations, cudaStream_t stream, Deadline deadline) override {
    enqueue(Load{operations}, stream, deadline);
  }

  std::string reason() const override;
  Device device() const override;
  Device chosen_device() const noexcept override { return choice_ ? choice_->device : Device(); }
  void join(Deadline deadline) override;
  bool take_failed_together() noexcept override { return std::exchange(failed_together_, false); }
  std::shared_ptr<void> register_memory(void* memory, std::size_t bytes) override {
    return registry_->add(memory, bytes);
  }
  std::shared_ptr<void> register_window(void* memory, std::size_t bytes,
                                        Deadline deadline) override;
  ncclComm* raw_handle() const noexcept override {
    return handle_ == nullptr ? nullptr : handle_->get();
  }

  // The same for tasks.
  void run(const Load& load, Deadline deadline);
  [[gnu::hot]] void enqueue(const Load& load, cudaStream_t stream, Deadline deadline);
  /// Puts it on the stream that works apart, after what is on the legacy stream now.
  void begin(const Load& load, cuda::Event& done);
  /// Whether operations may be captured once and replayed: collectives, which all ranks repeat
  /// alike, on a communicator that blocks.
  bool can_capture(OperationList operations) const noexcept;
  std::unique_ptr<cuda::Graph> capture(OperationList operations);
  /// Tasks that hold graphs, which must go before NCCL's communicator does.
  void add_task(NcclTask& task) { tasks_.push_back(&task); }
  void remove_task(NcclTask& task) noexcept { std::erase(tasks_, &task); }
  /// Waits for `done()` while peers are served; false when the deadline passes. After a failure
  /// of NCCL's or an abort everything is aborted and an Error thrown.
  bool wait(const std::function<bool()>& done, Deadline deadline);
  int ordinal() const noexcept { return ordinal_; }
  // After a deadline, too: the work cannot be left on the device.
  void give_up() noexcept override;

 private:
  static bool on_device(const Operation& operation) noexcept {
    const MemoryView& data = operation.send.given ? operation.send : operation.receive;
    return !data.given || data.count == 0 || data.kind == MemoryKind::device;
  }
  const DeviceChoice& choice() const;
  void compare_facts(Deadline deadline);
  void enter(Deadline deadline);
  void become_unavailable(const std::string& why);
  [[gnu::always_inline]] void issue(const Load& load, cuda::StreamHandle stream, Deadline deadline);
  void enqueue_on_default(const Load& load, cudaStream_t stream, Deadline deadline);
  [[gnu::cold, gnu::noinline]] void settle_repeated(ncclResult_t result, const SingleCall& call);
  void drop_graphs() noexcept;
  Handle& handle() {
    if (handle_ == nullptr) [[unlikely]]
      refuse_without_handle();
    return *handle_;
  }
  [[noreturn]] static void refuse_without_handle();

  // Together, what every operation needs.
  int rank_;
  int size_;
  int ordinal_ = -1;
  Abilities abilities_;
  std::unique_ptr<Handle> handle_;
  std::unique_ptr<Resources> resources_;
  std::shared_ptr<Bootstrap> bootstrap_;
  bool failed_together_ = false;
  std::string why_;
  mutable std::optional<DeviceChoice> choice_;
  std::shared_ptr<Registry> registry_ = std::make_shared<Registry>();
  std::vector<NcclTask*> tasks_;
};

}  // namespace tutti::nccl
