#include "mpi/node/segment.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/text.hpp"
#include "mpi/call.hpp"
#include "mpi/shared_file.hpp"

namespace tutti::mpi::node {

namespace {

std::string reason(const char* step, std::size_t bytes) {
  const int error = errno;
  std::string words =
      text("shared memory of ", bytes, " bytes: ", step, " failed: ", std::strerror(error));
  struct sysinfo machine = {};
  if (sysinfo(&machine) == 0)
    words += text(" (", machine.freeram * machine.mem_unit, " bytes of memory are free)");
  return words;
}

/// A file larger than this limit would end the process by a signal.
bool within_file_limit(std::size_t bytes) noexcept {
  rlimit limit = {};
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 || bytes <= limit.rlim_cur;
}

int make_file(std::size_t bytes, std::string& why) {
  if (!within_file_limit(bytes)) {
    errno = EFBIG;
    why = reason("the limit of file sizes (RLIMIT_FSIZE)", bytes);
    return -1;
  }
  const int file = memfd_create("tutti", MFD_CLOEXEC);
  if (file >= 0 && fchmod(file, 0600) == 0 && ftruncate(file, static_cast<off_t>(bytes)) == 0)
    return file;
  why = reason("memfd_create", bytes);
  if (file >= 0) close(file);
  return -1;
}

int open_file(const SharedFile& shared, std::size_t bytes, std::string& why) {
  const int file = shared.open();
  if (file < 0) why = reason("opening that of this node's rank 0", bytes);
  return file;
}

/// Memory is taken now, where there is an error to be had: later there would be a signal.
std::byte* map_file(int file, std::size_t bytes, std::size_t own_begin, std::size_t own_bytes,
                    std::string& why) {
  if (fallocate(file, 0, static_cast<off_t>(own_begin), static_cast<off_t>(own_bytes)) != 0) {
    why = reason("fallocate", bytes);
    return nullptr;
  }
  void* const mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (mapped != MAP_FAILED) return static_cast<std::byte*>(mapped);
  why = reason("mmap", bytes);
  return nullptr;
}

}  // namespace

std::unique_ptr<Segment> Segment::create(MPI_Comm node, std::size_t bytes_per_rank,
                                         std::string& why) {
  int rank = 0;
  int size = 0;
  TUTTI_MPI(MPI_Comm_rank(node, &rank));
  TUTTI_MPI(MPI_Comm_size(node, &size));
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t own_bytes = (bytes_per_rank + page - 1) / page * page;
  const std::size_t bytes = own_bytes * static_cast<std::size_t>(size);

  int file = rank == 0 ? make_file(bytes, why) : -1;
  SharedFile shared = SharedFile::of(file);
  TUTTI_MPI(MPI_Bcast(&shared, sizeof shared, MPI_BYTE, 0, node));
  if (rank != 0 && shared.descriptor >= 0) file = open_file(shared, bytes, why);
  if (rank != 0 && shared.descriptor < 0) why = "rank 0 of the node could not make shared memory";
  std::byte* data = nullptr;
  if (file >= 0)
    data = map_file(file, bytes, own_bytes * static_cast<std::size_t>(rank), own_bytes, why);
  TUTTI_MPI(MPI_Barrier(node));  // the file stays open until all have opened it
  if (file >= 0) close(file);
  return data == nullptr ? nullptr : std::unique_ptr<Segment>(new Segment(data, bytes));
}

Segment::~Segment() {
  munmap(data_, bytes_);
}

}  // namespace tutti::mpi::node
