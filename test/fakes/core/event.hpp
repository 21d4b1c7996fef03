#pragma once

#include "core/cuda_api.hpp"

#include <memory>
#include <vector>

#include "core/capture.hpp"
#include "core/task.hpp"

namespace fake {

/** Guarded by the engine lock; `marker` is null until the first record. */
struct Event {
  int device = 0;
  unsigned flags = 0;
  TaskPtr marker;
  std::shared_ptr<Capture> capture;  // set when the last record was captured
  std::vector<std::size_t> capture_after;
};

cudaError_t create_event(cudaEvent_t* handle, unsigned flags);
cudaError_t destroy_event(cudaEvent_t handle);
cudaError_t record_event(cudaEvent_t handle, const StreamPtr& stream);
cudaError_t wait_event(const StreamPtr& stream, cudaEvent_t handle);
cudaError_t query_event(cudaEvent_t handle);
cudaError_t synchronize_event(cudaEvent_t handle);
cudaError_t elapsed_time(float* milliseconds, cudaEvent_t start, cudaEvent_t end);

}  // namespace fake
