#include "conformance/under_test.hpp"

#include <optional>

#include "mpi/backend.hpp"
#include "mpi/node/backend.hpp"
#include "mpi/session.hpp"

namespace tutti::test {
namespace {

BackendUnderTest mpi(std::string name, const Options& options, std::size_t largest) {
  const auto make = [options](MPI_Comm comm) -> std::unique_ptr<Backend> {
    return std::make_unique<tutti::mpi::MpiBackend>(
        std::make_shared<tutti::mpi::Session>(comm, options, std::nullopt));
  };
  return {std::move(name), make, &host_allocator(), largest, true, options.deterministic};
}

/// Through the memory that ranks of a node share, where a reduction is always a left fold in rank
/// order. `node_size`: of pretended nodes, or 0; `deterministic` is for what is left to MPI.
BackendUnderTest node(std::string name, std::size_t node_size, bool deterministic) {
  const auto make = [=](MPI_Comm comm) -> std::unique_ptr<Backend> {
    Options options;
    options.host_path = HostPath::node;
    options.deterministic = deterministic;
    options.node_size = node_size;
    return std::make_unique<tutti::mpi::node::NodeBackend>(
        std::make_shared<tutti::mpi::Session>(comm, options, std::nullopt));
  };
  return {std::move(name), make, &host_allocator(), 20011, false, deterministic};
}

}  // namespace

std::vector<BackendUnderTest> backends_under_test() {
  Options deterministic;
  deterministic.deterministic = true;
  // Everything beyond seven elements is cut.
  Options cut;
  cut.max_count = 7;
  return {mpi("Mpi", {}, 20011),         mpi("MpiDeterministic", deterministic, 1000),
          mpi("MpiCut", cut, 50),        node("Node", 0, true),
          node("NodesOfOne", 1, false),  node("NodesOfTwo", 2, false),
          node("NodesOfThree", 3, false)};
}

}  // namespace tutti::test
