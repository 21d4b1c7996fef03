#include "core/call.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace fake {
namespace {

std::string log_path(std::string path) {
  const auto mark = path.find("%r");
  if (mark == std::string::npos) return path + "." + std::to_string(getpid());
  return path.replace(mark, 2, std::to_string(process_rank()));
}

/** Opened again in a forked child, which has its own log. */
int log_file() {
  static std::atomic<int> file{-1};
  static std::atomic<pid_t> owner{0};
  const char* path = std::getenv("TUTTI_FAKE_LOG");
  if (path == nullptr || *path == '\0') return -1;
  if (owner.load() == getpid()) return file.load();
  const int opened = open(log_path(path).c_str(), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);
  if (opened < 0) std::perror("TUTTI_FAKE_LOG");
  file.store(opened);
  owner.store(getpid());
  return opened;
}

int thread_number() {
  static std::atomic<int> next{0};
  thread_local const int mine = next.fetch_add(1);
  return mine;
}

std::uint64_t next_sequence() {
  static std::atomic<std::uint64_t> next{0};
  return next.fetch_add(1) + 1;
}

}  // namespace

bool log_enabled() {
  static const bool enabled = [] {
    const char* path = std::getenv("TUTTI_FAKE_LOG");
    return path != nullptr && *path != '\0';
  }();
  return enabled;
}

Call::Call(const char* function, int rank)
    : function_(function),
      rank_(rank),
      number_(count_call(function, rank)),
      sequence_(next_sequence()),
      failure_(Script::get().find_call("fail", function, rank, number_)),
      hang_(Script::get().find_call("hang", function, rank, number_)) {}

bool Call::script_is_bad() const {
  const std::string& error = Script::get().error();
  if (error.empty()) return false;
  static std::atomic<bool> told{false};
  if (!told.exchange(true)) std::fprintf(stderr, "tutti fakes: %s\n", error.c_str());
  return true;
}

void Call::log(const Arguments& arguments, int device, const char* result) const {
  if (!log_enabled()) return;
  std::ostringstream line;
  line << "seq=" << sequence_ << " thread=" << thread_number() << " device=" << device
       << " rank=" << rank_ << " call=" << function_ << arguments.text() << " result=" << result
       << '\n';
  const std::string text = line.str();
  // One write per line: lines of different threads do not mix.
  if (write(log_file(), text.data(), text.size()) < 0) std::perror("TUTTI_FAKE_LOG");
}

void Call::log(const Arguments& arguments, int device, int result) const {
  if (log_enabled()) log(arguments, device, std::to_string(result).c_str());
}

void hang_forever() {
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

}  // namespace fake
