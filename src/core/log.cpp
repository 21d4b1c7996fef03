#include "core/log.hpp"

#include <unistd.h>

#include <atomic>
#include <string>

#include "core/host.hpp"
#include "core/text.hpp"
#include "core/variables.hpp"

namespace tutti {

namespace {

std::atomic<int> log_rank{-1};

LogLevel wanted_level() noexcept {
  static const LogLevel level = log_level_from_environment();
  return level;
}

const char* name_of(LogLevel level) noexcept {
  switch (level) {
    case LogLevel::off:
      return "off";
    case LogLevel::error:
      return "error";
    case LogLevel::warn:
      return "warning";
    case LogLevel::info:
      return "info";
    case LogLevel::debug:
      return "debug";
    case LogLevel::trace:
      return "trace";
  }
  __builtin_unreachable();
}

}  // namespace

bool log_enabled(LogLevel level) noexcept {
  return level <= wanted_level();
}

void set_log_rank(int rank) noexcept {
  log_rank.store(rank, std::memory_order_relaxed);
}

void log(LogLevel level, std::string_view message) noexcept try {
  if (!log_enabled(level)) return;
  const int rank = log_rank.load(std::memory_order_relaxed);
  std::string line = "tutti: " + std::string(name_of(level)) + ": ";
  if (rank >= 0) line += text("rank ", rank, " on ", host_name(), ": ");
  line += message;
  line += '\n';
  // One write, so that the lines of several ranks do not mix; nothing can be done if it fails.
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
} catch (...) {
}

}  // namespace tutti
