#include "core/shareable_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <map>
#include <mutex>

namespace tutti::shareable {

namespace {

/// Below, an operation takes less time than telling the others where the memory lies.
constexpr std::size_t least_bytes = 256 * 1024;

struct Allocation {
  std::uint64_t id;
  std::size_t bytes;
  int file;
};

// Never destroyed: buffers may be, after everything else.
struct Registry {
  std::mutex mutex;
  std::map<const std::byte*, Allocation> allocations;
  std::uint64_t last_id = 0;
  std::atomic<std::uint64_t> released{0};
  std::atomic<bool> any{false};
};

Registry& registry() {
  static Registry& kept = *new Registry;
  return kept;
}

/// A file larger than the limit would end the process by a signal.
bool within_file_limit(std::size_t bytes) noexcept {
  rlimit limit = {};
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 || bytes <= limit.rlim_cur;
}

void* map_new_file(std::size_t bytes, int& file) noexcept {
  file = memfd_create("tutti", MFD_CLOEXEC);
  if (file < 0) return nullptr;
  if (fchmod(file, 0600) == 0 && posix_fallocate(file, 0, static_cast<off_t>(bytes)) == 0) {
    void* const data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (data != MAP_FAILED) return data;
  }
  close(file);
  return nullptr;
}

}  // namespace

void* allocate(std::size_t bytes) noexcept try {
  if (bytes < least_bytes || !within_file_limit(bytes)) return nullptr;
  int file = -1;
  void* const data = map_new_file(bytes, file);
  if (data == nullptr) return nullptr;
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  all.allocations[static_cast<std::byte*>(data)] = {++all.last_id, bytes, file};
  all.any.store(true, std::memory_order_relaxed);
  return data;
} catch (...) {
  return nullptr;
}

void release(void* data) noexcept {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  const auto found = all.allocations.find(static_cast<std::byte*>(data));
  if (found == all.allocations.end()) return;
  munmap(data, found->second.bytes);
  close(found->second.file);
  all.allocations.erase(found);
  all.released.fetch_add(1, std::memory_order_relaxed);
}

Place find(const void* data, std::size_t bytes) noexcept {
  Registry& all = registry();
  if (!all.any.load(std::memory_order_relaxed)) return {};
  const auto* const first = static_cast<const std::byte*>(data);
  const std::lock_guard lock(all.mutex);
  auto after = all.allocations.upper_bound(first);
  if (after == all.allocations.begin()) return {};
  const auto& [begin, allocation] = *--after;
  const auto offset = static_cast<std::size_t>(first - begin);
  if (offset > allocation.bytes || bytes > allocation.bytes - offset) return {};
  return {allocation.id, allocation.bytes, offset, allocation.file};
}

std::uint64_t released() noexcept {
  return registry().released.load(std::memory_order_relaxed);
}

}  // namespace tutti::shareable
