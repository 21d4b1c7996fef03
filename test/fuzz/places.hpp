#pragma once

#include "support/area.hpp"

namespace tutti::fuzz {

/// How many of a hundred operations are on device memory.
extern const unsigned device_percent;
test::Allocator& memory_for(bool on_device);

}  // namespace tutti::fuzz
