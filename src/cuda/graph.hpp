#pragma once

#include <functional>
#include <utility>

#include "cuda/stream.hpp"

struct CUgraphExec_st;

namespace tutti::cuda {

/// What was put on a stream once, to be put on streams as often as wanted. On the current device.
class Graph {
 public:
  /// Captures what `body` puts on `stream`, which must not be captured already.
  Graph(StreamHandle stream, const std::function<void()>& body);
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph();

  void launch(StreamHandle stream) const;

 private:
  CUgraphExec_st* handle_ = nullptr;
};

}  // namespace tutti::cuda
