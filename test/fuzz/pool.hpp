#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tutti/communicator.hpp"

namespace tutti::fuzz {

/// A communicator, what its options are, and the same ranks as MPI has them.
struct Member {
  Communicator communicator;
  MPI_Comm raw = MPI_COMM_NULL;
  std::uint64_t color = 0;  ///< groups of different colour draw different cases
  std::string text;
};

/// Communicators of an epoch: one over all ranks, and random splits of it. Collective.
class Pool {
 public:
  explicit Pool(std::uint64_t seed);
  Pool(const Pool&) = delete;
  ~Pool();

  std::size_t size() const noexcept { return members_.size(); }
  /// Its communicator is not valid on a rank that has no colour.
  Member& operator[](std::size_t i) noexcept { return members_[i]; }

 private:
  std::vector<Member> members_;
};

}  // namespace tutti::fuzz
