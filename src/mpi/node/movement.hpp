#pragma once

#include <cstddef>

#include "core/block_layout.hpp"
#include "mpi/node/team.hpp"

/// Moving data between the ranks of a node. Blocks count elements of `element` bytes; with in place
/// forms the source is the block's own place in the result.
namespace tutti::mpi::node {

/// What matters of uneven blocks, in bytes.
struct BlockSizes {
  std::size_t longest;
  std::size_t total;
};

/// Where each rank's block lies, in bytes.
struct ByteBlocks {
  BlockLayout layout;
  std::size_t element;

  std::size_t bytes(int rank) const noexcept { return layout.count(rank) * element; }
  std::size_t offset(int rank) const noexcept { return layout.offset(rank) * element; }
  BlockSizes sizes(int ranks) const noexcept;
  std::size_t longest(int ranks) const noexcept { return sizes(ranks).longest; }
};

void barrier(Team& team);
void broadcast(Team& team, std::byte* data, std::size_t bytes, int root);
void all_gather(Team& team, const std::byte* in, std::byte* out, const ByteBlocks& blocks);

/// `longest`: bytes of the longest block, equal on all ranks; where only the root knows it, see
/// `tell_sizes`.
void gather(Team& team, const std::byte* in, std::size_t bytes, std::byte* out,
            const ByteBlocks& blocks, std::size_t longest, int root);
void scatter(Team& team, const std::byte* in, const ByteBlocks& blocks, std::byte* out,
             std::size_t bytes, std::size_t longest, int root);
void all_to_all(Team& team, const std::byte* in, const ByteBlocks& in_blocks, std::byte* out,
                const ByteBlocks& out_blocks, std::size_t longest);

/// What the root knows becomes known to all.
BlockSizes tell_sizes(Team& team, BlockSizes sizes, int root);
/// The most of what each rank knows.
BlockSizes agree_sizes(Team& team, BlockSizes sizes);

}  // namespace tutti::mpi::node
