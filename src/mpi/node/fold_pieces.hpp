#pragma once

#include <algorithm>
#include <cstddef>

#include "core/fold.hpp"
#include "mpi/node/reduction.hpp"
#include "mpi/node/team.hpp"

namespace tutti::mpi::node {

/// What is folded at once where the result goes on from there: stays in the first-level cache.
inline constexpr std::size_t piece_bytes = 16 * 1024;

/// The reduction of the team's first `n` arrays, `bytes` bytes each.
inline void fold_arrays(Team& team, const Arithmetic& arithmetic, std::size_t n, std::byte* out,
                        std::size_t bytes, Stores stores = Stores::cached) {
  void** const outs = team.outs();
  std::fill(outs, outs + n, nullptr);
  outs[n - 1] = out;
  fold(arithmetic.op, arithmetic.type, team.arrays(), outs, n, bytes / arithmetic.element, stores);
}

/// The same piece by piece; `pass_on(offset, piece, length)` takes each while it is in the cache.
template <class PassOn>
void fold_pieces(Team& team, const Arithmetic& arithmetic, std::size_t bytes,
                 const PassOn& pass_on) {
  alignas(line_bytes) std::byte piece[piece_bytes];
  for (std::size_t begin = 0; begin < bytes; begin += piece_bytes) {
    const std::size_t length = std::min(piece_bytes, bytes - begin);
    fold_arrays(team, arithmetic, team.n(), piece, length);
    pass_on(begin, piece, length);
    for (int r = 0; r < team.size(); ++r)
      team.arrays()[r] = static_cast<const std::byte*>(team.arrays()[r]) + length;
  }
}

}  // namespace tutti::mpi::node
