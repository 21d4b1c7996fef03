#pragma once

#include <mpi.h>

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "support/area.hpp"
#include "tutti/backend.hpp"

namespace tutti::test {

/// A backend as the conformance suite meets it. To have another one tested, add a line to
/// `backends_under_test` in under_test.cpp.
struct BackendUnderTest {
  std::string name;
  /// Collective over the communicator, which outlives the backend.
  std::function<std::unique_ptr<Backend>(MPI_Comm)> make;
  Allocator* memory;
  /// The largest count that it should be bothered with.
  std::size_t largest;
  /// Claims to serve every operation on its memory; otherwise what it does not support is skipped.
  bool complete;
  /// Promises the left fold in rank order.
  bool deterministic;
  /// Rounds the small floats after each step, as NCCL does, instead of once.
  bool rounds_each_step = false;
};

/// For GoogleTest.
inline void PrintTo(const BackendUnderTest& backend, std::ostream* out) {
  *out << backend.name;
}

std::vector<BackendUnderTest> backends_under_test();

}  // namespace tutti::test
