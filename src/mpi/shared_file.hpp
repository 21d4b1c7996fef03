#pragma once

#include <sys/types.h>

namespace tutti::mpi {

/// Memory without a name, which other processes of the same user open through /proc: how they find
/// it. `descriptor` < 0: there is none.
struct SharedFile {
  pid_t process = 0;
  int descriptor = -1;
  dev_t device = 0;
  ino_t inode = 0;

  /// Of this process.
  static SharedFile of(int descriptor) noexcept;
  /// A descriptor of this process for it; < 0 where it cannot be had, errno tells why. Never
  /// another file: where each rank has process numbers of its own, as in containers, the same
  /// number is another process here.
  int open() const noexcept;
};

}  // namespace tutti::mpi
