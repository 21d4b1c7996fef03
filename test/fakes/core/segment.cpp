#include "core/segment.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <new>

namespace fake {
namespace {

constexpr std::size_t largest_pipe = 32768;
constexpr std::size_t smallest_pipe = 4096;
constexpr std::size_t wanted_total = std::size_t{32} << 20;
constexpr std::time_t stale_seconds = 60;
constexpr const char* common_prefix = "/tutti-fake-";

std::size_t fitting_pipe(std::size_t ranks) {
  const std::size_t fair = wanted_total / (ranks * ranks);
  return std::clamp(fair / smallest_pipe * smallest_pipe, smallest_pipe, largest_pipe);
}

/** A dead maker alone is no proof (it may have left early), so age counts as well. */
bool is_stale(const std::string& name) {
  int pid = 0;
  if (std::sscanf(name.c_str(), "tutti-fake-%d-", &pid) != 1 || pid <= 0) return false;
  if (kill(pid, 0) == 0 || errno != ESRCH) return false;
  struct stat info {};
  const std::string path = "/dev/shm/" + name;
  if (stat(path.c_str(), &info) != 0 || info.st_uid != getuid()) return false;
  return std::time(nullptr) - info.st_mtime > stale_seconds;
}

}  // namespace

std::string segment_prefix() {
  return common_prefix + std::to_string(getpid()) + "-";
}

void sweep_stale_segments() {
  DIR* directory = opendir("/dev/shm");
  if (directory == nullptr) return;
  while (const dirent* entry = readdir(directory)) {
    const std::string name = entry->d_name;
    if (is_stale(name)) shm_unlink(("/" + name).c_str());
  }
  closedir(directory);
}

Segment::Segment(std::string name, int ranks)
    : name_(std::move(name)),
      ranks_(static_cast<std::size_t>(ranks)),
      pipe_bytes_(fitting_pipe(ranks_)) {}

std::size_t Segment::bytes() const {
  return sizeof(SharedHeader) + ranks_ * sizeof(SharedRank) +
         ranks_ * ranks_ * (sizeof(Pipe) + pipe_bytes_);
}

std::shared_ptr<Segment> Segment::open(const std::string& name, int ranks, std::string* why) {
  std::shared_ptr<Segment> segment(new Segment(name, ranks));
  const int file = shm_open(name.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  if (file < 0) {
    *why = "shm_open " + name + ": " + std::strerror(errno);
    return nullptr;
  }
  struct stat info {};
  const auto size = static_cast<off_t>(segment->bytes());
  // Only ever grown: ranks that disagree on the number of ranks find out in the header.
  const bool sized =
      fstat(file, &info) == 0 && (info.st_size >= size || ftruncate(file, size) == 0);
  void* memory = sized
                     ? mmap(nullptr, segment->bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
                     : MAP_FAILED;
  if (memory == MAP_FAILED) *why = "mapping " + name + ": " + std::strerror(errno);
  close(file);
  if (memory == MAP_FAILED) {
    shm_unlink(name.c_str());
    return nullptr;
  }
  segment->memory_ = static_cast<char*>(memory);
  return segment;
}

Segment::~Segment() {
  if (memory_ == nullptr) return;
  munmap(memory_, bytes());
}

SharedRank& Segment::rank(int rank) {
  char* ranks = memory_ + sizeof(SharedHeader);
  return *std::launder(
      reinterpret_cast<SharedRank*>(ranks + static_cast<std::size_t>(rank) * sizeof(SharedRank)));
}

Pipe& Segment::pipe(int from, int to) {
  char* pipes = memory_ + sizeof(SharedHeader) + ranks_ * sizeof(SharedRank);
  const auto index = static_cast<std::size_t>(from) * ranks_ + static_cast<std::size_t>(to);
  return *std::launder(reinterpret_cast<Pipe*>(pipes + index * (sizeof(Pipe) + pipe_bytes_)));
}

void Segment::unlink() {
  if (!unlinked_.exchange(true)) shm_unlink(name_.c_str());
}

}  // namespace fake
