#pragma once

#include <vector>

#include "nccl/engine.hpp"

namespace tutti::nccl {

/// Operations put on the device as often as wanted: the first time as NCCL calls, then as the graph
/// that the second time captures, where they can be captured. Goes before its engine.
class NcclTask final : public Task {
 public:
  NcclTask(Engine& engine, OperationList operations);
  NcclTask(const NcclTask&) = delete;
  NcclTask& operator=(const NcclTask&) = delete;
  ~NcclTask() override;

  void run(Deadline deadline) override { engine_.run(load(), deadline); }
  void start() override;
  bool test() override;
  bool wait(Deadline deadline) override;
  void enqueue(cudaStream_t stream, Deadline deadline) override;
  bool join(cudaStream_t stream, Deadline deadline) override;
  void drop_graph() noexcept;

 private:
  OperationList list() const noexcept { return {operations_.data(), operations_.size()}; }

  Load load();

  Engine& engine_;
  std::vector<Operation> operations_;
  cuda::Event done_;
  bool may_capture_;
  bool used_ = false;
  std::unique_ptr<cuda::Graph> graph_;
};

}  // namespace tutti::nccl
