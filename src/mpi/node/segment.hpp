#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <string>

namespace tutti::mpi::node {

/// Memory that the ranks of a node share: an anonymous file of one rank, which the others open
/// through its process. It has no name anywhere, so that nothing is left behind however a job ends,
/// and no /dev/shm that a container made too small limits it. For the owner of the job alone.
class Segment {
 public:
  /// `bytes_per_rank` for each rank of `node`, zeroed, each rank's part near the cores it runs on.
  /// Collective over `node`. Null where it fails, on this rank alone perhaps: `why` tells.
  static std::unique_ptr<Segment> create(MPI_Comm node, std::size_t bytes_per_rank,
                                         std::string& why);
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;
  ~Segment();

  std::byte* data() const noexcept { return data_; }

 private:
  Segment(std::byte* data, std::size_t bytes) noexcept : data_(data), bytes_(bytes) {}

  std::byte* data_;
  std::size_t bytes_;
};

}  // namespace tutti::mpi::node
