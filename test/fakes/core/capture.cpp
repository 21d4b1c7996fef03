#include "core/capture.hpp"

#include <algorithm>

#include "core/stream.hpp"

namespace fake {
namespace {

thread_local cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;

/** Captures under way; guarded by the engine lock. */
std::vector<std::shared_ptr<Capture>>& captures() {
  static auto* instance = new std::vector<std::shared_ptr<Capture>>;
  return *instance;
}

/** Whether everything that was captured comes before `last`, so that no branch is left open. */
bool all_joined(const Graph& graph, std::vector<std::size_t> last) {
  std::vector<bool> reached(graph.nodes.size(), false);
  while (!last.empty()) {
    const std::size_t node = last.back();
    last.pop_back();
    if (reached[node]) continue;
    reached[node] = true;
    for (const std::size_t before : graph.nodes[node].after) last.push_back(before);
  }
  return std::find(reached.begin(), reached.end(), false) == reached.end();
}

bool affected(const Capture& capture) {
  if (thread_mode == cudaStreamCaptureModeRelaxed) return false;
  const bool mine = capture.thread == std::this_thread::get_id();
  if (mine) return capture.mode != cudaStreamCaptureModeRelaxed;
  return thread_mode == cudaStreamCaptureModeGlobal && capture.mode == cudaStreamCaptureModeGlobal;
}

}  // namespace

std::size_t Graph::add(const Work& work, std::vector<std::size_t> after) {
  nodes.push_back({work, std::move(after)});
  return nodes.size() - 1;
}

cudaError_t begin_capture(const StreamPtr& stream, cudaStreamCaptureMode mode) {
  const std::lock_guard lock(engine_mutex());
  if (stream->kind() == Stream::Kind::legacy) return cudaErrorStreamCaptureUnsupported;
  if (stream->capture) return cudaErrorIllegalState;
  static unsigned long long next_id = 0;
  auto capture = std::make_shared<Capture>();
  capture->id = ++next_id;
  capture->mode = mode;
  capture->thread = std::this_thread::get_id();
  capture->origin = stream.get();
  capture->streams.push_back(stream);
  stream->capture = capture;
  stream->capture_after.clear();
  captures().push_back(std::move(capture));
  return cudaSuccess;
}

cudaError_t end_capture(const StreamPtr& stream, std::shared_ptr<Graph>* graph) {
  const std::lock_guard lock(engine_mutex());
  const auto capture = stream->capture;
  if (!capture) return cudaErrorIllegalState;
  if (capture->origin != stream.get()) {
    capture->invalid = true;
    return cudaErrorStreamCaptureUnmatched;
  }
  if (capture->mode != cudaStreamCaptureModeRelaxed &&
      capture->thread != std::this_thread::get_id()) {
    return cudaErrorStreamCaptureWrongThread;
  }
  const bool joined = all_joined(*capture->graph, stream->capture_after);
  for (const auto& member : capture->streams) {
    member->capture = nullptr;
    member->capture_after.clear();
  }
  auto& all = captures();
  all.erase(std::remove(all.begin(), all.end(), capture), all.end());
  capture->streams.clear();
  capture->ended = true;
  if (capture->invalid) return cudaErrorStreamCaptureInvalidated;
  if (!joined) return cudaErrorStreamCaptureUnjoined;
  *graph = capture->graph;
  return cudaSuccess;
}

cudaError_t capture_status(const StreamPtr& stream, cudaStreamCaptureStatus* status,
                           unsigned long long* id) {
  const std::lock_guard lock(engine_mutex());
  const cudaError_t error = check_implicit_locked(stream);
  if (error != cudaSuccess) return error;
  *status = cudaStreamCaptureStatusNone;
  if (!stream->capture) return cudaSuccess;
  *status =
      stream->capture->invalid ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
  if (id != nullptr) *id = stream->capture->id;
  return cudaSuccess;
}

cudaError_t join_capture_locked(const StreamPtr& stream, const std::shared_ptr<Capture>& capture,
                                const std::vector<std::size_t>& after) {
  if (capture->ended) return cudaErrorInvalidValue;
  if (capture->invalid) return cudaErrorStreamCaptureInvalidated;
  if (stream->kind() == Stream::Kind::legacy) {
    capture->invalid = true;
    return cudaErrorStreamCaptureImplicit;
  }
  if (stream->capture && stream->capture != capture) {
    stream->capture->invalid = capture->invalid = true;
    return cudaErrorStreamCaptureMerge;
  }
  if (!stream->capture) {
    stream->capture = capture;
    stream->capture_after.clear();
    capture->streams.push_back(stream);
  }
  stream->capture_after.insert(stream->capture_after.end(), after.begin(), after.end());
  return cudaSuccess;
}

cudaError_t exchange_capture_mode(cudaStreamCaptureMode* mode) {
  if (mode == nullptr) return cudaErrorInvalidValue;
  std::swap(*mode, thread_mode);
  return cudaSuccess;
}

cudaError_t check_unsafe_call() {
  const std::lock_guard lock(engine_mutex());
  cudaError_t error = cudaSuccess;
  for (const auto& capture : captures()) {
    if (!affected(*capture)) continue;
    capture->invalid = true;
    error = cudaErrorStreamCaptureUnsupported;
  }
  return error;
}

cudaError_t launch_graph(const std::shared_ptr<Graph>& graph, const StreamPtr& stream) {
  for (const auto& node : graph->nodes) {
    const cudaError_t error = submit(stream, node.work);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

}  // namespace fake
