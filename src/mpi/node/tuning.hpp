#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mpi/node/choice.hpp"

namespace tutti::mpi::node {

/// The rules of the file that TUTTI_TUNE names; none where it is not set.
struct Tuning {
  std::vector<Rule> rules;
  std::string file;
};

/// What `parse_tuning` takes, the file's name and contents, checked; empty if TUTTI_TUNE is not
/// set.
/// @throws Error (invalid_argument) naming the file and what is wrong with it.
std::string read_tuning();

Tuning parse_tuning(std::string_view text);

}  // namespace tutti::mpi::node
