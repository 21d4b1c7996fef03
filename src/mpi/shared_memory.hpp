#pragma once

#include <cstddef>
#include <string>

#include "mpi/shared_file.hpp"

namespace tutti::mpi {

/// Memory that the ranks of a node share: an anonymous file of rank 0, which the others open
/// through its process. It has no name anywhere, so that nothing is left behind however a job ends,
/// and no /dev/shm that a container made too small limits it. For the owner of the job alone.
///
/// Rank 0 offers it, tells the others where it is, and all of them map it. How they tell each other
/// is left to whoever uses it.
class SharedMemory {
 public:
  /// Zeroed, `bytes_per_rank` for each of `size` ranks, each one's part near the cores it runs on.
  SharedMemory(int rank, int size, std::size_t bytes_per_rank) noexcept;
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory();

  /// Makes the file; on rank 0 alone.
  SharedFile offer();
  /// False where it fails: `why` tells.
  bool map(const SharedFile& shared);
  /// To be called on rank 0 once all ranks are known to have called `map`.
  void close_file() noexcept;

  std::byte* data() const noexcept { return data_; }
  const std::string& why() const noexcept { return why_; }

 private:
  std::string reason(const char* step) const;
  int make_file();
  int open_file(const SharedFile& shared);
  bool map_file(int file);

  bool first_;
  std::size_t own_begin_;
  std::size_t own_bytes_;
  std::size_t bytes_;
  int file_ = -1;  ///< rank 0's, as long as others may open it
  std::byte* data_ = nullptr;
  std::string why_;
};

}  // namespace tutti::mpi
