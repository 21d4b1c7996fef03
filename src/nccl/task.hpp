#pragma once

#include <vector>

#include "nccl/engine.hpp"

namespace tutti::nccl {

/// Operations put on the device as often as wanted.
class NcclTask final : public Task {
 public:
  NcclTask(Engine& engine, OperationList operations);

  void run(Deadline deadline) override { engine_.run(list(), deadline); }
  void start() override;
  bool test() override;
  bool wait(Deadline deadline) override;
  void enqueue(cudaStream_t stream, Deadline deadline) override {
    engine_.enqueue(list(), stream, deadline);
  }
  bool join(cudaStream_t stream, Deadline deadline) override;

 private:
  OperationList list() const noexcept { return {operations_.data(), operations_.size()}; }

  Engine& engine_;
  std::vector<Operation> operations_;
  cuda::Event done_;
};

}  // namespace tutti::nccl
