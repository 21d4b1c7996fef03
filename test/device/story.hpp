#pragma once

#include <dlfcn.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "device/memory.hpp"
#include "support/program.hpp"
#include "support/world.hpp"
#include "tutti/tutti.hpp"

// Stories of whole processes on the fake libraries. A story sets its fault script before anything
// opens the libraries, and reads the log of their calls afterwards.
namespace tutti::test {

/// One call in the log of this process.
struct Call {
  std::map<std::string, std::string> words;
  std::string name() const { return at("call"); }
  std::string at(const std::string& key) const {
    const auto found = words.find(key);
    return found == words.end() ? "" : found->second;
  }
};

/// All of them so far, in the order in which they returned.
std::vector<Call> log_of_calls();
std::size_t count_calls(const std::string& name);
/// Where the first such call stands, counted from `from`; the log's size if there is none.
std::size_t position_of(const std::string& name, std::size_t from = 0);

/// Their names, from number `before` on.
std::vector<std::string> names_since(std::size_t before);

using Story = std::function<void()>;
struct Told {
  const char* name;
  const char* faults;  ///< the script, if any
  Story tell;
};

/// A function of the fake runtime that tutti itself never calls.
template <class Function>
Function* runtime_function(const char* name) {
  void* const library = dlopen(std::getenv("TUTTI_CUDART_LIBRARY"), RTLD_NOW);
  require(library != nullptr, "no fake runtime");
  return reinterpret_cast<Function*>(dlsym(library, name));
}

inline Options options(NcclPolicy policy, std::chrono::milliseconds timeout = {}) {
  Options made;
  made.nccl = policy;
  made.timeout = timeout;
  return made;
}

/// An all_reduce on device memory that must be right.
void require_works_on_device(const Communicator& communicator);
/// The texts of all ranks must be equal.
void require_same_everywhere(const std::string& text);

std::vector<Told> bootstrap_stories();
std::vector<Told> operation_stories();
std::vector<Told> stream_stories();
std::vector<Told> failure_stories();
std::vector<Told> group_stories();
std::vector<Told> memory_stories();

}  // namespace tutti::test
