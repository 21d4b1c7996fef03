#include "device/memory.hpp"
#include "fuzz/places.hpp"

namespace tutti::fuzz {

const unsigned device_percent = 70;

test::Allocator& memory_for(bool on_device) {
  return on_device ? test::device_allocator() : test::host_allocator();
}

}  // namespace tutti::fuzz
