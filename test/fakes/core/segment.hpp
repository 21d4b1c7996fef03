#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace fake {

/** One direction between two ranks: a ring of bytes with one writer and one reader. */
struct Pipe {
  alignas(64) std::atomic<std::uint64_t> written;
  alignas(64) std::atomic<std::uint64_t> taken;

  char* data() { return reinterpret_cast<char*>(this + 1); }
};

/** What a rank shows the others of its communicator. All zero is the valid initial state. */
struct alignas(64) SharedRank {
  std::atomic<std::uint32_t> claimed;
  std::atomic<std::uint32_t> attached;
  std::int32_t device;
  unsigned char uuid[16];
  std::int32_t color[2];
  std::int32_t key[2];
  std::atomic<std::uint64_t> splits;
};

struct alignas(64) SharedHeader {
  std::atomic<std::uint32_t> ranks;
  std::atomic<std::int32_t> error;  // a mismatch seen by any rank, for all of them
  std::atomic<std::uint32_t> error_claimed;
  char error_text[512];
};

/**
 * Shared memory of one communicator, by name. Whoever comes first makes it; it needs no
 * initialising, so there is no order among the ranks. Readable by the owner only.
 */
class Segment {
 public:
  /** Null when the system refuses, with the reason in `why`. */
  static std::shared_ptr<Segment> open(const std::string& name, int ranks, std::string* why);
  ~Segment();
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;

  SharedHeader& header() { return *reinterpret_cast<SharedHeader*>(memory_); }
  SharedRank& rank(int rank);
  Pipe& pipe(int from, int to);
  std::size_t pipe_bytes() const { return pipe_bytes_; }

  /** Takes the name out of the file system; the memory lives on. May be called again. */
  void unlink();

 private:
  Segment(std::string name, int ranks);
  std::size_t bytes() const;

  std::string name_;
  std::size_t ranks_;
  std::size_t pipe_bytes_;
  char* memory_ = nullptr;
  std::atomic<bool> unlinked_{false};
};

/** Removes segments whose maker is dead: left by jobs that were killed while they came together. */
void sweep_stale_segments();

/** Prefix of the name of a segment made for an id of this process. */
std::string segment_prefix();

}  // namespace fake
