#include "core/process_state.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <string_view>

#include "core/text.hpp"

namespace tutti {

// "PID (NAME) STATE ...", where NAME may hold anything.
ProcessState look_at_process(int id) {
  const std::string path = text("/proc/", id, "/stat");
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return ProcessState::gone;
  char words[512];
  const auto length = read(file, words, sizeof words);
  static_cast<void>(close(file));
  if (length <= 0) return ProcessState::gone;
  const std::string_view all(words, static_cast<std::size_t>(length));
  const std::size_t name_end = all.rfind(')');
  if (name_end == std::string_view::npos || name_end + 2 >= all.size())
    return ProcessState::running;
  const char state = all[name_end + 2];
  if (state == 'T' || state == 't') return ProcessState::stopped;
  return state == 'Z' || state == 'X' ? ProcessState::gone : ProcessState::running;
}

std::string words_about_process(int id, ProcessState state) {
  switch (state) {
    case ProcessState::running:
      return "";
    case ProcessState::stopped:
      return text("; its process ", id, " is stopped by a signal");
    case ProcessState::gone:
      return text("; its process ", id, " is gone");
  }
  __builtin_unreachable();
}

}  // namespace tutti
