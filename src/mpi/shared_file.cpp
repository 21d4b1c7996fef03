#include "mpi/shared_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "core/text.hpp"

namespace tutti::mpi {

SharedFile SharedFile::of(int descriptor) noexcept {
  struct stat status = {};
  if (descriptor < 0 || fstat(descriptor, &status) != 0) return {};
  return {getpid(), descriptor, status.st_dev, status.st_ino};
}

int SharedFile::open() const noexcept {
  const std::string path = text("/proc/", process, "/fd/", descriptor);
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0) return -1;
  if (status.st_dev != device || status.st_ino != inode) {
    errno = ESRCH;
    return -1;
  }
  return ::open(path.c_str(), O_RDWR | O_CLOEXEC);
}

}  // namespace tutti::mpi
