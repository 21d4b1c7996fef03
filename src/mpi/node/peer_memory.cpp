#include "mpi/node/peer_memory.hpp"

#include <unistd.h>

#ifdef __linux__
#include <sys/uio.h>
#endif

namespace tutti::mpi::node {

#ifdef __linux__
bool read_process(std::int64_t process, std::uint64_t address, void* to,
                  std::size_t bytes) noexcept {
  auto* const begin = static_cast<std::byte*>(to);
  for (std::size_t done = 0; done < bytes;) {
    iovec here{begin + done, bytes - done};
    iovec there{reinterpret_cast<void*>(address + done), bytes - done};
    const ssize_t got = process_vm_readv(static_cast<pid_t>(process), &here, 1, &there, 1, 0);
    if (got <= 0) return false;
    done += static_cast<std::size_t>(got);
  }
  return true;
}

// The kernel may look at the memory of its own caller in the same way.
bool is_readable_by_others(const void* memory, std::size_t bytes) noexcept {
  if (bytes == 0) return false;
  auto* const first = static_cast<std::byte*>(const_cast<void*>(memory));
  std::byte ends[2];
  const iovec here{ends, sizeof ends};
  const iovec there[2]{{first, 1}, {first + bytes - 1, 1}};
  return process_vm_readv(getpid(), &here, 1, there, 2, 0) == sizeof ends;
}
#else
bool read_process(std::int64_t, std::uint64_t, void*, std::size_t) noexcept {
  return false;
}
bool is_readable_by_others(const void*, std::size_t) noexcept {
  return false;
}
#endif

}  // namespace tutti::mpi::node
