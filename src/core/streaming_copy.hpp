#pragma once

#include <cstddef>

namespace tutti {

/// memcpy that leaves the destination out of the caches: for what this processor does not read
/// again before it would have been evicted, or what another one reads next. Saves reading the
/// destination's lines, which is a third of the traffic where memory is the limit. Ordered before
/// later stores. Copied onto itself, memory stays as it is. An ordinary copy where the processor
/// has no such stores.
void streaming_copy(void* to, const void* from, std::size_t bytes) noexcept;

}  // namespace tutti
