#include "mpi/schedule.hpp"

#include <algorithm>
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

// MPI keeps the order of messages between two ranks, so that pieces with one tag fall into place.
// A message without elements is sent too: both ranks may not know that it is empty.
void Schedule::add_message(Step message, std::size_t count, std::size_t element, std::size_t most) {
  std::size_t done = 0;
  do {
    const std::size_t piece = std::min(most, count - done);
    message.count = static_cast<int>(piece);
    steps.push_back(message);
    if (message.in != nullptr)
      message.in = static_cast<const std::byte*>(message.in) + piece * element;
    if (message.out != nullptr)
      message.out = static_cast<std::byte*>(message.out) + piece * element;
    done += piece;
  } while (done < count);
}

void Schedule::clear() noexcept {
  steps.clear();
  ints.clear();
  arrays.clear();
  outs.clear();
  scratch.reset();
}

}  // namespace tutti::mpi
