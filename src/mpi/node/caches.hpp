#pragma once

#include <cstddef>

namespace tutti::mpi::node {

/// The bytes of last-level cache that one of `ranks` ranks on this machine can count on.
std::size_t cache_bytes_for_each(int ranks);

}  // namespace tutti::mpi::node
