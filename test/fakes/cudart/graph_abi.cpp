// Graphs: instantiated by copying the list of captured work.

#include "core/stream.hpp"
#include "cudart/call.hpp"
#include "cudart/graphs.hpp"

namespace fake {

Registry<Graph>& graphs() {
  static auto* instance = new Registry<Graph>;
  return *instance;
}

namespace {

struct Executable {
  std::shared_ptr<Graph> graph;
};

Registry<Executable>& executables() {
  static auto* instance = new Registry<Executable>;
  return *instance;
}

cudaError_t instantiate(cudaGraphExec_t* handle, cudaGraph_t graph_handle) {
  const auto graph = graphs().find(graph_handle);
  if (handle == nullptr || !graph) return cudaErrorInvalidValue;
  auto executable = std::make_shared<Executable>();
  executable->graph = std::make_shared<Graph>(*graph);
  *handle = static_cast<cudaGraphExec_t>(executables().add(std::move(executable)));
  return cudaSuccess;
}

}  // namespace
}  // namespace fake

using namespace fake;

extern "C" {

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 unsigned long long flags) {
  return cuda_call("cudaGraphInstantiate", Arguments()("graph", graph)("flags", flags),
                   [&] { return instantiate(executable, graph); });
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph,
                                          unsigned long long flags) {
  return cuda_call("cudaGraphInstantiateWithFlags", Arguments()("graph", graph)("flags", flags),
                   [&] { return instantiate(executable, graph); });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t handle, cudaStream_t stream_handle) {
  return cuda_call("cudaGraphLaunch", Arguments()("graph", handle)("stream", stream_handle), [&] {
    const auto executable = executables().find(handle);
    const StreamPtr stream = find_stream(stream_handle);
    if (!executable) return cudaErrorInvalidValue;
    if (!stream) return cudaErrorInvalidResourceHandle;
    return launch_graph(executable->graph, stream);
  });
}

cudaError_t cudaGraphUpload(cudaGraphExec_t handle, cudaStream_t) {
  return cuda_call("cudaGraphUpload", Arguments()("graph", handle), [&] {
    return executables().find(handle) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t handle) {
  return cuda_call("cudaGraphExecDestroy", Arguments()("graph", handle), [&] {
    return executables().take(handle) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t handle) {
  return cuda_call("cudaGraphDestroy", Arguments()("graph", handle),
                   [&] { return graphs().take(handle) ? cudaSuccess : cudaErrorInvalidValue; });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t handle, cudaGraphNode_t* nodes, std::size_t* count) {
  return cuda_call("cudaGraphGetNodes", Arguments()("graph", handle), [&] {
    const auto graph = graphs().find(handle);
    if (!graph || count == nullptr) return cudaErrorInvalidValue;
    if (nodes != nullptr) return cudaErrorNotSupported;  // only the number is offered
    *count = graph->nodes.size();
    return cudaSuccess;
  });
}

}  // extern "C"
