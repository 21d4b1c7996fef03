#include "diagnostics/recorder.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "core/host.hpp"
#include "core/text.hpp"
#include "core/variables.hpp"
#include "diagnostics/record_json.hpp"
#include "tutti/error.hpp"

namespace tutti {

namespace {

std::mutex mutex;
// Never destroyed: operations may be recorded in static destructors.
std::atomic<Recorder*> the_recorder{nullptr};

struct Caught {
  int signal;
  struct sigaction previous;
};
Caught caught[] = {{SIGTERM, {}}, {SIGABRT, {}}};

[[noreturn]] void refuse(const std::string& path, const char* what) {
  const int error = errno;
  throw Error(Errc::invalid_argument,
              text("TUTTI_RECORD: ", printable(path), what, ": ", std::strerror(error)));
}

std::string file_name(int world_rank) {
  std::string host = host_name();
  std::replace(host.begin(), host.end(), '/', '_');
  return text("tutti-", host, '-', getpid(), "-rank", world_rank);
}

template <std::size_t n>
void keep(char (&target)[n], std::string_view words) noexcept {
  target[words.copy(target, n - 1)] = '\0';
}

}  // namespace

Recorder* Recorder::opened() noexcept {
  return the_recorder.load(std::memory_order_acquire);
}

Recorder* Recorder::instance(int world_rank, int world_size, bool threads_compete) {
  const std::lock_guard lock(mutex);
  if (Recorder* const recorder = opened()) return recorder;
  const char* const directory = file_variable("TUTTI_RECORD");
  if (directory == nullptr) return nullptr;
  auto* const recorder = new Recorder(directory, world_rank, world_size, threads_compete);
  the_recorder.store(recorder, std::memory_order_release);
  recorder->catch_signals();
  static_cast<void>(std::atexit([] { on_exit(); }));
  return recorder;
}

Recorder::Recorder(const std::string& directory, int world_rank, int world_size,
                   bool threads_compete)
    : threads_compete_(threads_compete) {
  if (mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST) refuse(directory, " cannot be made");
  const std::string path = directory + '/' + file_name(world_rank);
  if (path.size() + 8 > sizeof json_path_) {
    errno = ENAMETOOLONG;
    refuse(directory, " cannot be used");
  }
  keep(json_path_, path + ".json");
  open_file(path + ".ring");
  fill_header(world_rank, world_size);
}

void Recorder::open_file(const std::string& path) {
  // A file of that name is left from an earlier process that had the same id.
  static_cast<void>(unlink(path.c_str()));
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) refuse(path, " cannot be made");
  // Reserved at once: a full disk says so here, not with SIGBUS later.
  const int code = posix_fallocate(file, 0, static_cast<off_t>(record_file::file_size));
  void* const memory =
      code == 0 ? mmap(nullptr, record_file::file_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
                : MAP_FAILED;
  if (code != 0) errno = code;
  const int error = errno;
  static_cast<void>(close(file));
  if (memory == MAP_FAILED) {
    static_cast<void>(unlink(path.c_str()));
    errno = error;
    refuse(path, " cannot be written");
  }
  header_ = static_cast<record_file::Header*>(memory);
  records_ =
      reinterpret_cast<record_file::Record*>(static_cast<char*>(memory) + record_file::header_size);
}

void Recorder::fill_header(int world_rank, int world_size) noexcept {
  header_->opened = anchor();
  header_->version = record_file::version;
  header_->record_size = sizeof(record_file::Record);
  header_->capacity = record_file::capacity;
  header_->process = getpid();
  header_->world_rank = world_rank;
  header_->world_size = world_size;
  keep(header_->host, host_name());
  // Long enough to know how fast ticks are, whatever happens later.
  do note_alive();
  while (header_->alive.wall - header_->opened.wall < 2000000);
  std::memcpy(header_->magic, record_file::magic, sizeof record_file::magic);
}

void Recorder::note_alive() noexcept {
  header_->alive = anchor();
}

void Recorder::note_error(std::string_view words) noexcept {
  keep(header_->last_error, words);
  write_json();
}

// Whoever made the file is the one to describe it: a forked child shares its memory.
void Recorder::write_json() noexcept {
  if (getpid() != header_->process) return;
  const int saved = errno;
  const int file = open(json_path_, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file >= 0) {
    record_file::write_json(file, *header_, records_);
    static_cast<void>(close(file));
  }
  errno = saved;
}

void Recorder::note_end(const char* how, int number) noexcept {
  if (getpid() != header_->process) return;
  char digits[4] = {};
  if (number >= 10) digits[0] = static_cast<char>('0' + number / 10 % 10);
  digits[number >= 10 ? 1 : 0] = number > 0 ? static_cast<char>('0' + number % 10) : '\0';
  const std::size_t length = std::strlen(how);
  std::memcpy(header_->ended, how, length);
  std::memcpy(header_->ended + length, digits, sizeof digits);
  write_json();
}

void Recorder::on_exit() noexcept {
  opened()->note_end("exit", 0);
}

void Recorder::catch_signals() noexcept {
  for (Caught& entry : caught) {
    struct sigaction ours {};
    ours.sa_handler = on_signal;
    sigemptyset(&ours.sa_mask);
    static_cast<void>(sigaction(entry.signal, nullptr, &entry.previous));
    // A signal that the application ignores does not end it.
    if (entry.previous.sa_handler != SIG_IGN)
      static_cast<void>(sigaction(entry.signal, &ours, nullptr));
  }
}

// What was there before has the last word: it is put back, and gets the signal once this returns.
void Recorder::on_signal(int signal) noexcept {
  opened()->note_end("signal ", signal);
  for (const Caught& entry : caught)
    if (entry.signal == signal) static_cast<void>(sigaction(signal, &entry.previous, nullptr));
  static_cast<void>(raise(signal));
}

}  // namespace tutti
