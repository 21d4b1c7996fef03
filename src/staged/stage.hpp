#pragma once

#include <vector>

#include "cuda/pool.hpp"
#include "cuda/stream.hpp"
#include "tutti/backend.hpp"

namespace tutti::staged {

/// Between which kinds of memory data is relayed.
enum class Route {
  through_host,    ///< device memory by a backend of the host
  through_device,  ///< host memory by a backend of the device
};

/// One operation, or one piece of it, in memory that the inner backend takes: what is copied in,
/// the operation on the copy, what is copied out. Nothing but the result is ever copied out.
class Stage {
 public:
  /// All of it.
  Stage(const Operation& outer, Route route, int rank, int size);
  /// Elements `begin` to `begin + count` of each block; only where `divisible`.
  Stage(const Operation& outer, Route route, int rank, int size, std::size_t begin,
        std::size_t count);
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  void copy_in(cuda::StreamHandle stream) const { do_copies(in_, stream); }
  const Operation& inner() const noexcept { return inner_; }
  void copy_out(cuda::StreamHandle stream) const { do_copies(out_, stream); }
  /// Reads a scalar that lies on the device, which may have changed since the last time.
  void read_scalar(cuda::StreamHandle stream);

 private:
  struct Copy {
    std::byte* to;
    const std::byte* from;
    std::size_t bytes;
  };
  struct Range {
    std::size_t begin, count;
  };

  static void do_copies(const std::vector<Copy>& copies, cuda::StreamHandle stream);
  void build(Range range);
  void whole_ranges(Range range);
  void blocks(Range range);
  void sent(MemoryView& inner, const std::vector<Range>& ranges);
  void received(MemoryView& inner, const std::vector<Range>& ranges);
  std::vector<Range> ranges_of(const MemoryView& all, const Blocks& blocks, Range range,
                               std::vector<std::size_t>& counts) const;
  cuda::PooledBuffer buffer(std::size_t bytes) const;

  const Operation outer_;
  Route route_;
  int rank_;
  int size_;
  std::size_t element_;
  Operation inner_;
  cuda::PooledBuffer send_;
  cuda::PooledBuffer receive_;
  std::vector<std::size_t> send_counts_;
  std::vector<std::size_t> receive_counts_;
  std::vector<Copy> in_;
  std::vector<Copy> out_;
};

/// How many elements of each block a divisible operation has; 0 if it must stay whole.
std::size_t divisible_elements(const Operation& operation, int size) noexcept;

/// As the inner backend will see the operation, without the memory: for `supports`.
Operation in_inner_memory(const Operation& outer, Route route) noexcept;

}  // namespace tutti::staged
