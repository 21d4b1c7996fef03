#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "mpi/node/reduction.hpp"
#include "mpi/node/team.hpp"
#include "mpi/shared_file.hpp"

namespace tutti::mpi::node {

/// The other ranks' Buffers as this process sees them: mapped when an operation first uses them,
/// kept until their owner has released memory.
class SharedBuffers {
 public:
  explicit SharedBuffers(int ranks);
  SharedBuffers(const SharedBuffers&) = delete;
  SharedBuffers& operator=(const SharedBuffers&) = delete;
  ~SharedBuffers();

  /// all_reduce without any copy: each rank folds a slice out of all ranks' memory into all ranks'
  /// memory. False, with nothing done, where not all of it is in Buffers. Called by all ranks.
  bool all_reduce(Team& team, const Arithmetic& arithmetic, const std::byte* in, std::byte* out,
                  std::size_t count);

 private:
  /// What a rank tells of one side of an operation.
  struct Address {
    std::uint64_t id;  ///< 0: not in a Buffer
    std::uint64_t bytes;
    std::uint64_t offset;
    SharedFile file;
  };
  struct Addresses {
    Address in;
    Address out;
    std::uint64_t released;
  };
  struct Mapping {
    std::byte* data;
    std::size_t bytes;
  };
  struct Peer {
    std::unordered_map<std::uint64_t, Mapping> mappings;
    std::uint64_t released = 0;
  };

  static Address address_of(const void* data, std::size_t bytes) noexcept;
  bool meet(Team& team, const std::byte* in, std::byte* out, std::size_t bytes);
  static bool all_agree(Team& team, bool mine);
  std::byte* reach(int rank, const Address& address);
  void forget(Peer& peer) noexcept;

  std::vector<Peer> peers_;
  std::vector<const std::byte*> ins_;
  std::vector<std::byte*> outs_;
};

}  // namespace tutti::mpi::node
