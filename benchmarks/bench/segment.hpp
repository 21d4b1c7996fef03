#pragma once

#include <cstddef>

namespace tutti::bench {

/// What must lie in the received memory (in place: in the one buffer) afterwards: `count` elements
/// from `at` on are the reduction of elements `source`, ... of what ranks first to last - 1 send.
/// With first == last nothing is received there: the memory is as it was.
struct Segment {
  std::size_t at = 0;
  std::size_t count = 0;
  int first = 0;
  int last = 0;
  std::size_t source = 0;
  bool moved = false;  ///< as rank `first` sends it, never reduced
};

}  // namespace tutti::bench
