#pragma once

#include <cstddef>
#include <cstdint>

/// Memory of another process of the node, read by the kernel while its owner does something else.
namespace tutti::mpi::node {

/// Copies all of it, or says false, with the reason in errno: the system has no such call or
/// forbids it (containers, Yama's ptrace_scope), there is no such process or memory, or a driver's
/// memory cannot be read so.
bool read_process(std::int64_t process, std::uint64_t address, void* to,
                  std::size_t bytes) noexcept;

/// Whether this process's own memory is of a kind that others can read: both ends are tried.
bool is_readable_by_others(const void* memory, std::size_t bytes) noexcept;

}  // namespace tutti::mpi::node
