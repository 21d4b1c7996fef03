#include "cuda/graph.hpp"

#include "cuda/functions.hpp"

namespace tutti::cuda {

namespace {

void drop(cudaGraph_t graph) noexcept {
  if (graph != nullptr && functions().cudaGraphDestroy(graph) != cudaSuccess) forget_error();
}

}  // namespace

Graph::Graph(StreamHandle stream, const std::function<void()>& body) {
  cudaGraph_t graph = nullptr;
  TUTTI_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  try {
    body();
  } catch (...) {
    if (functions().cudaStreamEndCapture(stream, &graph) != cudaSuccess) forget_error();
    drop(graph);
    throw;
  }
  TUTTI_CUDA(cudaStreamEndCapture(stream, &graph));
  const cudaError_t made = functions().cudaGraphInstantiateWithFlags(&handle_, graph, 0);
  drop(graph);
  check(made, "cudaGraphInstantiateWithFlags");
}

Graph::~Graph() {
  if (functions().cudaGraphExecDestroy(handle_) != cudaSuccess) forget_error();
}

void Graph::launch(StreamHandle stream) const {
  TUTTI_CUDA(cudaGraphLaunch(handle_, stream));
}

}  // namespace tutti::cuda
