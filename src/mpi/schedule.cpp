#include "mpi/schedule.hpp"

#include <new>

#include "core/text.hpp"
#include "tutti/error.hpp"

namespace tutti::mpi {

std::byte* Scratch::take(std::size_t bytes) try {
  // Chunks are used in turn; the one that does not do is replaced by one that does.
  if (used_ == chunks_.size()) chunks_.emplace_back();
  Chunk& chunk = chunks_[used_];
  if (chunk.size < bytes) {
    chunk.memory.reset();
    chunk.size = 0;
    chunk.memory.reset(new std::byte[bytes]);
    chunk.size = bytes;
  }
  ++used_;
  return chunk.memory.get();
} catch (const std::bad_alloc&) {
  throw Error(Errc::memory, text("no memory for ", bytes, " bytes of intermediate results"));
}

void Schedule::clear() noexcept {
  steps.clear();
  ints.clear();
  arrays.clear();
  outs.clear();
  scratch.reset();
}

}  // namespace tutti::mpi
