#include "core/exchange.hpp"

#include <algorithm>
#include <cstring>
#include <sstream>

#include "core/collective.hpp"

namespace fake {
namespace {

/** Copies into the ring at `position`; the two parts when it wraps. */
void ring_write(Pipe& pipe, std::size_t capacity, std::uint64_t position, const char* from,
                std::size_t bytes) {
  const std::size_t offset = position % capacity, first = std::min(bytes, capacity - offset);
  std::memcpy(pipe.data() + offset, from, first);
  if (bytes > first) std::memcpy(pipe.data(), from + first, bytes - first);
}

void ring_read(Pipe& pipe, std::size_t capacity, std::uint64_t position, char* to,
               std::size_t bytes) {
  const std::size_t offset = position % capacity, first = std::min(bytes, capacity - offset);
  std::memcpy(to, pipe.data() + offset, first);
  if (bytes > first) std::memcpy(to + first, pipe.data(), bytes - first);
}

}  // namespace

std::string describe(const Descriptor& descriptor) {
  std::ostringstream out;
  out << kind_name(static_cast<Kind>(descriptor.kind)) << " count=" << descriptor.count
      << " type=" << descriptor.type << " op=" << descriptor.op << " root=" << descriptor.root
      << " sequence=" << descriptor.sequence;
  return out.str();
}

Exchange::Queue& Exchange::queue(std::vector<Queue>& queues, int peer) {
  return queues[static_cast<std::size_t>(peer)];
}

void Exchange::send(int peer, const Descriptor& descriptor, const void* data, std::size_t bytes) {
  Descriptor mine = descriptor;
  mine.bytes = bytes;
  char* from = static_cast<char*>(const_cast<void*>(data));  // only read
  queue(sends_, peer).push_back({mine, mine, from, bytes});
}

void Exchange::receive(int peer, const Descriptor& descriptor, void* data, std::size_t bytes) {
  Descriptor mine = descriptor;
  mine.bytes = bytes;
  queue(receives_, peer).push_back({mine, {}, static_cast<char*>(data), bytes});
}

bool Exchange::progress_send(int peer) {
  Queue& waiting = queue(sends_, peer);
  if (waiting.empty()) return false;
  Message& message = waiting.front();
  Pipe& pipe = comm_.segment->pipe(comm_.rank, peer);
  const std::size_t capacity = comm_.segment->pipe_bytes();
  const std::uint64_t written = pipe.written.load(std::memory_order_relaxed);
  const std::uint64_t taken = pipe.taken.load(std::memory_order_acquire);
  const std::size_t room = capacity - static_cast<std::size_t>(written - taken);
  const std::size_t head = sizeof(Descriptor);
  const bool in_head = message.done < head;
  const char* from = in_head ? reinterpret_cast<const char*>(&message.arrived) + message.done
                             : message.data + (message.done - head);
  const std::size_t left = (in_head ? head : head + message.bytes) - message.done;
  const std::size_t bytes = std::min(room, left);
  if (bytes > 0) ring_write(pipe, capacity, written, from, bytes);
  message.done += bytes;
  pipe.written.store(written + bytes, std::memory_order_release);
  if (message.done == head + message.bytes) waiting.pop_front();
  return bytes > 0;
}

bool Exchange::progress_receive(int peer) {
  Queue& waiting = queue(receives_, peer);
  if (waiting.empty()) return false;
  Message& message = waiting.front();
  Pipe& pipe = comm_.segment->pipe(peer, comm_.rank);
  const std::size_t capacity = comm_.segment->pipe_bytes();
  const std::uint64_t taken = pipe.taken.load(std::memory_order_relaxed);
  const std::uint64_t written = pipe.written.load(std::memory_order_acquire);
  const std::size_t head = sizeof(Descriptor);
  const bool in_head = message.done < head;
  char* to = in_head ? reinterpret_cast<char*>(&message.arrived) + message.done
                     : message.data + (message.done - head);
  const std::size_t left = (in_head ? head : head + message.bytes) - message.done;
  const std::size_t bytes = std::min(static_cast<std::size_t>(written - taken), left);
  if (bytes > 0) ring_read(pipe, capacity, taken, to, bytes);
  message.done += bytes;
  pipe.taken.store(taken + bytes, std::memory_order_release);
  if (in_head && message.done == head && mismatch(peer, message)) return true;
  if (message.done == head + message.bytes) waiting.pop_front();
  return bytes > 0;
}

bool Exchange::mismatch(int peer, const Message& message) {
  if (message.arrived == message.descriptor) return false;
  failed_ = true;
  comm_.fail_all("ranks disagree: rank " + std::to_string(comm_.rank) + " called " +
                 describe(message.descriptor) + ", rank " + std::to_string(peer) + " called " +
                 describe(message.arrived));
  return true;
}

bool Exchange::run() {
  int spins = 0;
  for (;;) {
    bool moved = false, left = false;
    for (int peer = 0; peer < comm_.size && !failed_; ++peer) {
      moved = progress_send(peer) || moved;
      moved = progress_receive(peer) || moved;
      left = left || !queue(sends_, peer).empty() || !queue(receives_, peer).empty();
    }
    if (failed_ || comm_.failed_for_all()) {
      comm_.wait_for_abort();  // the real one's kernel would not end either
      return false;
    }
    if (comm_.aborted()) return false;
    if (!left) return true;
    if (moved) {
      spins = 0;
    } else if (!comm_.pause(&spins)) {
      return false;
    }
  }
}

}  // namespace fake
