#pragma once

#include "core/cuda_api.hpp"

#include <memory>
#include <thread>
#include <vector>

#include "core/task.hpp"

namespace fake {

class Stream;
using StreamPtr = std::shared_ptr<Stream>;

/** Captured work with its dependencies; nodes are in an order in which they may run. */
struct Graph {
  struct Node {
    Work work;
    std::vector<std::size_t> after;
  };
  std::vector<Node> nodes;

  std::size_t add(const Work& work, std::vector<std::size_t> after);
};

/** One capture under way. Guarded by the engine lock. */
struct Capture {
  unsigned long long id = 0;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  std::thread::id thread;
  const Stream* origin = nullptr;
  std::shared_ptr<Graph> graph = std::make_shared<Graph>();
  std::vector<StreamPtr> streams;
  bool invalid = false;
  bool ended = false;
};

cudaError_t begin_capture(const StreamPtr& stream, cudaStreamCaptureMode mode);
cudaError_t end_capture(const StreamPtr& stream, std::shared_ptr<Graph>* graph);
cudaError_t capture_status(const StreamPtr& stream, cudaStreamCaptureStatus* status,
                           unsigned long long* id);

/** Joins `stream` to a capture through an event that was recorded in it. The lock is held. */
cudaError_t join_capture_locked(const StreamPtr& stream, const std::shared_ptr<Capture>& capture,
                                const std::vector<std::size_t>& after);

/** Swaps the calling thread's mode with `mode`. */
cudaError_t exchange_capture_mode(cudaStreamCaptureMode* mode);

/**
 * For calls that a capture forbids (allocation, queries, waits): fails and spoils the captures that
 * the calling thread's mode makes them affect.
 */
cudaError_t check_unsafe_call();

/** Replays the graph's nodes in order on a stream, or adds them to the stream's capture. */
cudaError_t launch_graph(const std::shared_ptr<Graph>& graph, const StreamPtr& stream);

}  // namespace fake
