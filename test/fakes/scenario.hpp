#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>
#include "core/nccl_api.hpp"

#include <string>
#include <vector>

// A scenario is what each rank of a little job does, in a process of its own: the fault script and
// the log are per process, and real ranks are processes too.

namespace scenario {

struct Rank {
  int rank;
  int size;
  ncclUniqueId id;
};

using Body = void (*)(const Rank&);

/** Makes the body known by name; the processes of run() look it up. */
bool add(const std::string& name, Body body);

struct Result {
  std::vector<int> status;  // of each rank: 0, the exit code, or 128 + signal
  bool all_good() const;
};

/** Runs `size` processes with further environment ("NAME=value"); kills them after `seconds`. */
Result run(const std::string& name, int size, const std::vector<std::string>& environment = {},
           int seconds = 20);

/** Ends the process with a message unless `good`. */
void require(bool good, const char* what, const char* file, int line);

/** The communicator of the scenario's ranks, one device each. */
ncclComm_t join(const Rank& job);

/** Device memory with these values; freed with the process. */
template <typename T>
T* device(const std::vector<T>& values) {
  void* pointer = nullptr;
  const std::size_t bytes = values.size() * sizeof(T);
  if (cudaMalloc(&pointer, bytes) != cudaSuccess) return nullptr;
  cudaMemcpy(pointer, values.data(), bytes, cudaMemcpyHostToDevice);
  cudaStreamSynchronize(cudaStreamLegacy);
  return static_cast<T*>(pointer);
}

template <typename T>
std::vector<T> host(const T* pointer, std::size_t count) {
  std::vector<T> values(count);
  cudaMemcpy(values.data(), pointer, count * sizeof(T), cudaMemcpyDeviceToHost);
  return values;
}

}  // namespace scenario

#define REQUIRE(condition) scenario::require((condition), #condition, __FILE__, __LINE__)
#define SCENARIO(name)                                                    \
  static void scenario_##name(const scenario::Rank& job);                 \
  static const bool known_##name = scenario::add(#name, scenario_##name); \
  static void scenario_##name([[maybe_unused]] const scenario::Rank& job)
