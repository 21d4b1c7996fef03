#pragma once

#include <cstddef>
#include <functional>

namespace tutti::test {

inline constexpr int node_size = 2;  ///< ranks of a pretended node

/// What this rank hands to MPI, counted in front of it.
struct Traffic {
  int calls = 0;
  std::size_t sent_to_other_nodes = 0;
  int messages_to_other_nodes = 0;
};

/// What `call` hands over.
Traffic traffic_of(const std::function<void()>& call);

}  // namespace tutti::test
