#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "core/isa.hpp"
#include "core/log.hpp"
#include "tutti/options.hpp"

namespace tutti {

/// One TUTTI_* variable. docs/environment.md is this table for people; a test compares the two.
struct Variable {
  const char* name;
  const char* values;  ///< what it takes
  const char* meaning;
};

/// Every variable that tutti knows.
const std::vector<Variable>& known_variables();

/// `options` with the environment's values on top. @throws Error (invalid_argument) naming the
/// variable, its value and what it takes.
Options with_environment(Options options);

/// TUTTI_LOG; `warn` when it is not set or makes no sense (which `with_environment` tells).
LogLevel log_level_from_environment() noexcept;

/// TUTTI_ISA, if it is set. @throws Error (invalid_argument) where this processor cannot run it.
std::optional<Isa> isa_from_environment();

/// TUTTI_STALL; a minute when it is not set. @throws Error (invalid_argument)
std::chrono::milliseconds stall_time_from_environment();

/// The value of a variable that names a file; null when it is not set, or in a program that runs
/// with more rights than its user (set-uid): there it is ignored.
const char* file_variable(const char* name) noexcept;

/// TUTTI_* names in the environment that tutti does not know: misspelt, most likely.
std::vector<std::string> unknown_variables();

}  // namespace tutti
