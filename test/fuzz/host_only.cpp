#include "fuzz/places.hpp"

namespace tutti::fuzz {

const unsigned device_percent = 0;

test::Allocator& memory_for(bool) {
  return test::host_allocator();
}

}  // namespace tutti::fuzz
