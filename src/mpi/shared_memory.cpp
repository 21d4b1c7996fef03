#include "mpi/shared_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/text.hpp"

namespace tutti::mpi {

namespace {

std::size_t in_pages(std::size_t bytes) noexcept {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

/// A file larger than this limit would end the process by a signal.
bool within_file_limit(std::size_t bytes) noexcept {
  rlimit limit = {};
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 || bytes <= limit.rlim_cur;
}

}  // namespace

SharedMemory::SharedMemory(int rank, int size, std::size_t bytes_per_rank) noexcept
    : first_(rank == 0),
      own_begin_(in_pages(bytes_per_rank) * static_cast<std::size_t>(rank)),
      own_bytes_(in_pages(bytes_per_rank)),
      bytes_(own_bytes_ * static_cast<std::size_t>(size)) {}

SharedMemory::~SharedMemory() {
  close_file();
  if (data_ != nullptr) static_cast<void>(munmap(data_, bytes_));
}

SharedFile SharedMemory::offer() {
  file_ = make_file();
  return SharedFile::of(file_);
}

bool SharedMemory::map(const SharedFile& shared) {
  if (first_) return file_ >= 0 && map_file(file_);
  const int file = open_file(shared);
  const bool mapped = file >= 0 && map_file(file);
  if (file >= 0) static_cast<void>(close(file));
  return mapped;
}

void SharedMemory::close_file() noexcept {
  if (file_ >= 0) static_cast<void>(close(file_));
  file_ = -1;
}

std::string SharedMemory::reason(const char* step) const {
  const int error = errno;
  std::string words =
      text("shared memory of ", bytes_, " bytes: ", step, " failed: ", std::strerror(error));
  struct sysinfo machine = {};
  if (sysinfo(&machine) == 0)
    words += text(" (", machine.freeram * machine.mem_unit, " bytes of memory are free)");
  return words;
}

int SharedMemory::make_file() {
  if (!within_file_limit(bytes_)) {
    errno = EFBIG;
    why_ = reason("the limit of file sizes (RLIMIT_FSIZE)");
    return -1;
  }
  const int file = memfd_create("tutti", MFD_CLOEXEC);
  if (file >= 0 && fchmod(file, 0600) == 0 && ftruncate(file, static_cast<off_t>(bytes_)) == 0)
    return file;
  why_ = reason("memfd_create");
  if (file >= 0) static_cast<void>(close(file));
  return -1;
}

int SharedMemory::open_file(const SharedFile& shared) {
  if (shared.descriptor < 0) {
    why_ = "rank 0 of the node could not make shared memory";
    return -1;
  }
  const int file = shared.open();
  if (file < 0) why_ = reason("opening the file of the node's rank 0");
  return file;
}

// Memory is taken now, where there is an error to be had: later there would be a signal.
bool SharedMemory::map_file(int file) {
  if (fallocate(file, 0, static_cast<off_t>(own_begin_), static_cast<off_t>(own_bytes_)) != 0) {
    why_ = reason("fallocate");
    return false;
  }
  void* const mapped = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (mapped == MAP_FAILED) {
    why_ = reason("mmap");
    return false;
  }
  data_ = static_cast<std::byte*>(mapped);
  return true;
}

}  // namespace tutti::mpi
