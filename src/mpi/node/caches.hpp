#pragma once

#include <cstddef>

namespace tutti::mpi::node {

/// The bytes of last-level cache that one of `ranks` ranks on this machine can count on.
std::size_t cache_bytes_for_each(int ranks);

/// The bytes of the second level of cache of a core.
std::size_t second_level_bytes();

}  // namespace tutti::mpi::node
