#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "conjugate_gradients.hpp"

namespace cg {

struct CommandLine {
  std::size_t grid = 0;  ///< 0: the matrix comes from a file
  std::string matrix;
  std::string write;   ///< not empty: write the generated matrix and stop
  std::string output;  ///< not empty: write the solution
  bool json = false;
  Limits limits;

  /// Nothing if the program should go on; otherwise the status to exit with, after --help or a
  /// mistake. Every rank sees the same line, so all decide alike and only one need `speak`.
  std::optional<int> parse(int argc, const char* const* argv, bool speak);
};

}  // namespace cg
