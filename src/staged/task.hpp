#pragma once

#include <memory>
#include <vector>

#include "staged/backend.hpp"

namespace tutti::staged {

/// A group of operations staged as a whole.
class StagedTask final : public Task {
 public:
  StagedTask(StagedBackend& backend, OperationList operations);
  ~StagedTask() override;

  void run(Deadline deadline) override;
  void start() override { begin(Deadline()); }
  bool test() override;
  bool wait(Deadline deadline) override;
  void enqueue(cudaStream_t stream, Deadline deadline) override;
  bool join(cudaStream_t stream, Deadline deadline) override;

 private:
  enum class Phase { idle, inside, leaving };
  void begin(Deadline deadline);
  void leave();

  StagedBackend& backend_;
  std::vector<std::unique_ptr<Stage>> stages_;
  std::vector<Operation> operations_;
  std::unique_ptr<Task> inner_;
  cuda::Event moved_;
  Phase phase_ = Phase::idle;
};

}  // namespace tutti::staged
