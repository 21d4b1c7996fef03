#include "conformance/under_test.hpp"

#include <optional>

#include "mpi/backend.hpp"
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

}  // namespace

std::vector<BackendUnderTest> backends_under_test() {
  Options deterministic;
  deterministic.deterministic = true;
  // Everything beyond seven elements is cut.
  Options cut;
  cut.max_count = 7;
  return {mpi("Mpi", {}, 20011), mpi("MpiDeterministic", deterministic, 1000),
          mpi("MpiCut", cut, 50)};
}

}  // namespace tutti::test
