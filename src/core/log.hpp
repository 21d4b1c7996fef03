#pragma once

#include <string_view>

namespace tutti {

enum class LogLevel { off, error, warn, info, debug, trace };

/// Writes one line to standard error if TUTTI_LOG asks for `level`; the only thing that the library
/// ever prints. Never throws. Thread-safe: a line is one write.
void log(LogLevel level, std::string_view message) noexcept;

bool log_enabled(LogLevel level) noexcept;

/// The rank in MPI_COMM_WORLD that log lines bear, once it is known.
void set_log_rank(int rank) noexcept;

}  // namespace tutti
