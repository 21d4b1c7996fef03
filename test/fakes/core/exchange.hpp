#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "core/comm.hpp"

namespace fake {

/** What a rank says about the call a message belongs to; the receiver compares it with its own. */
struct Descriptor {
  std::uint32_t kind = 0;
  std::uint32_t type = 0;
  std::int32_t op = 0;
  std::int32_t root = 0;
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  std::uint64_t sequence = 0;  // of collectives, from 1; 0 between two ranks

  bool operator==(const Descriptor&) const = default;
};

std::string describe(const Descriptor& descriptor);

/** Sends and receives between ranks, all under way at once; in order between any two ranks. */
class Exchange {
 public:
  explicit Exchange(Comm& comm) : comm_(comm) {}

  void send(int peer, const Descriptor& descriptor, const void* data, std::size_t bytes);
  void receive(int peer, const Descriptor& descriptor, void* data, std::size_t bytes);

  /** False when aborted; a mismatch becomes the communicator's error and waits for the abort. */
  bool run();

 private:
  struct Message {
    Descriptor descriptor;
    Descriptor arrived;
    char* data;
    std::size_t bytes;  // of data, which follow the descriptor
    std::size_t done = 0;
  };
  using Queue = std::deque<Message>;

  static Queue& queue(std::vector<Queue>& queues, int peer);
  bool progress_send(int peer);
  bool progress_receive(int peer);
  bool mismatch(int peer, const Message& message);

  Comm& comm_;
  std::vector<Queue> sends_{static_cast<std::size_t>(comm_.size)};
  std::vector<Queue> receives_{static_cast<std::size_t>(comm_.size)};
  bool failed_ = false;
};

}  // namespace fake
