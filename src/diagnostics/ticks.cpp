#include "diagnostics/ticks.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <string_view>

namespace tutti {

Ticks::Ticks() noexcept {
  const int file = open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
                        O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  char words[32];
  const auto length = read(file, words, sizeof words);
  static_cast<void>(close(file));
  counter_ = length > 0 && std::string_view(words, static_cast<std::size_t>(length)) == "tsc\n";
}

[[gnu::cold]] std::int64_t Ticks::steady() noexcept {
  return nanoseconds(CLOCK_MONOTONIC);
}

}  // namespace tutti
