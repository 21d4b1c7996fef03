#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "tutti/detail/export.hpp"
#include "tutti/memory.hpp"
#include "tutti/reduce_op.hpp"

namespace tutti {

enum class OperationKind : std::uint8_t {
  all_reduce,
  reduce,
  broadcast,
  all_gather,
  reduce_scatter,
  gather,
  scatter,
  all_to_all,
  scan,
  exclusive_scan,
  send,
  recv,
  send_recv,
  barrier,
};

inline constexpr OperationKind all_operation_kinds[] = {
    OperationKind::all_reduce,     OperationKind::reduce,         OperationKind::broadcast,
    OperationKind::all_gather,     OperationKind::reduce_scatter, OperationKind::gather,
    OperationKind::scatter,        OperationKind::all_to_all,     OperationKind::scan,
    OperationKind::exclusive_scan, OperationKind::send,           OperationKind::recv,
    OperationKind::send_recv,      OperationKind::barrier,
};

/// "all_reduce", ...: the names that tools and messages use.
TUTTI_API std::string_view to_string(OperationKind kind) noexcept;

/// Block sizes of an uneven operation, one entry a rank, in elements; views the caller's arrays.
/// Without offsets the blocks are packed: each begins where the one before it ends.
class Blocks {
 public:
  Blocks() = default;
  template <class Counts>
  explicit Blocks(const Counts& counts) noexcept : given_(true) {
    view(counts, counts_, size_);
  }
  template <class Counts, class Offsets>
  Blocks(const Counts& counts, const Offsets& offsets) noexcept : given_(true) {
    view(counts, counts_, size_);
    view(offsets, offsets_, offsets_size_);
    has_offsets_ = true;
  }

  bool given() const noexcept { return given_; }
  bool has_offsets() const noexcept { return has_offsets_; }
  std::size_t size() const noexcept { return size_; }
  std::size_t offsets_size() const noexcept { return offsets_size_; }
  const std::size_t* counts() const noexcept { return counts_; }
  /// Null when the blocks are packed.
  const std::size_t* offsets() const noexcept { return offsets_; }

 private:
  template <class Range>
  static void view(const Range& range, const std::size_t*& data, std::uint32_t& size) noexcept {
    using Element = std::remove_cv_t<detail::Element<const Range>>;
    static_assert(std::is_same_v<Element, std::size_t>,
                  "tutti: block counts and offsets are contiguous ranges of std::size_t");
    data = std::data(range);
    size = static_cast<std::uint32_t>(std::size(range));
  }

  const std::size_t* counts_ = nullptr;
  const std::size_t* offsets_ = nullptr;
  std::uint32_t size_ = 0;  // one entry a rank
  std::uint32_t offsets_size_ = 0;
  bool given_ = false;
  bool has_offsets_ = false;
};

/// One call, described completely: built by the functions below, done by a `Communicator`'s verbs.
/// Views the caller's memory, counts and reduction, which must live until the operation is done.
struct Operation {
  OperationKind kind = OperationKind::barrier;
  bool one_range = false;  ///< in place because a single range was given
  bool uneven = false;     ///< built with `Blocks`, which may be empty where they do not matter
  ReduceOp op = sum;
  int root = 0;
  int to = 0;    ///< of send, send_recv
  int from = 0;  ///< of recv, send_recv
  int tag = 0;
  MemoryView send{};
  MemoryView receive{};
  Blocks send_blocks{};
  Blocks receive_blocks{};
  std::chrono::nanoseconds timeout{-1};  ///< negative: that of the communicator's options

  /// This operation with a deadline of its own, on all ranks or on none: those with one do it by
  /// other calls of MPI's, which do not meet those of ranks without.
  Operation within(std::chrono::nanoseconds duration) const {
    Operation copy = *this;
    copy.timeout = duration;
    return copy;
  }
};

/// "all_reduce of 1024 float32, sum": what messages say of an operation.
TUTTI_API std::string describe(const Operation& operation);

// The builders below neither allocate nor throw: a verb checks an operation as a whole, before
// anything moves, where the rank is known that its errors name.
//
// All ranks of the communicator call the same operation with the same type, reduction, root and
// counts, in the same order, unless said otherwise. Counts are elements. One range, or equal
// pointers on both sides, means in place; any other overlap is an error. n is the communicator's
// size.

/// Every rank gets the reduction of all ranks' elements. Equal counts on both sides.
TUTTI_API Operation all_reduce(const SendView& in, const ReceiveView& out,
                               const ReduceOp& op = sum) noexcept;
TUTTI_API Operation all_reduce(const ReceiveView& data, const ReduceOp& op = sum) noexcept;

/// `root` gets the reduction; `out` matters there alone.
TUTTI_API Operation reduce(const SendView& in, const ReceiveView& out, const ReduceOp& op,
                           int root) noexcept;
TUTTI_API Operation reduce(const ReceiveView& data, const ReduceOp& op, int root) noexcept;

/// Every rank gets root's elements.
TUTTI_API Operation broadcast(const ReceiveView& data, int root) noexcept;

/// Every rank gets all ranks' blocks in rank order: out holds n times in. In place, a rank's own
/// block lies at its own position of `data`.
TUTTI_API Operation all_gather(const SendView& in, const ReceiveView& out) noexcept;
TUTTI_API Operation all_gather(const ReceiveView& data) noexcept;
TUTTI_API Operation all_gather(const SendView& in, const ReceiveView& out,
                               const Blocks& blocks) noexcept;

/// Rank i gets block i of the reduction of all ranks' elements: in holds n times out. In place, the
/// result lies at the rank's own position of `data`, and the rest of `data` is unchanged.
TUTTI_API Operation reduce_scatter(const SendView& in, const ReceiveView& out,
                                   const ReduceOp& op = sum) noexcept;
TUTTI_API Operation reduce_scatter(const ReceiveView& data, const ReduceOp& op = sum) noexcept;
TUTTI_API Operation reduce_scatter(const SendView& in, const ReceiveView& out, const ReduceOp& op,
                                   const Blocks& blocks) noexcept;

/// `root` gets all ranks' blocks in rank order; `out` and `blocks` matter there alone.
TUTTI_API Operation gather(const SendView& in, const ReceiveView& out, int root) noexcept;
TUTTI_API Operation gather(const SendView& in, const ReceiveView& out, int root,
                           const Blocks& blocks) noexcept;

/// Rank i gets block i of root's elements; `in` and `blocks` matter there alone.
TUTTI_API Operation scatter(const SendView& in, const ReceiveView& out, int root) noexcept;
TUTTI_API Operation scatter(const SendView& in, const ReceiveView& out, int root,
                            const Blocks& blocks) noexcept;

/// Rank i's block j becomes rank j's block i. Both sides hold n blocks; with uneven blocks, what
/// rank i sends to j must equal what j receives from i.
TUTTI_API Operation all_to_all(const SendView& in, const ReceiveView& out) noexcept;
TUTTI_API Operation all_to_all(const SendView& in, const Blocks& in_blocks, const ReceiveView& out,
                               const Blocks& out_blocks) noexcept;

/// Rank i gets the reduction over ranks 0 to i; exclusive: 0 to i - 1, and rank 0's `out` is left
/// as it was. `avg` has no scan.
TUTTI_API Operation scan(const SendView& in, const ReceiveView& out,
                         const ReduceOp& op = sum) noexcept;
TUTTI_API Operation exclusive_scan(const SendView& in, const ReceiveView& out,
                                   const ReduceOp& op = sum) noexcept;

/// Point to point: called by the two ranks concerned, with equal counts and tags; on device memory
/// the tag is 0, because NCCL has none. Sends and receives that wait for one another belong into
/// one group: `run({send(...), recv(...)})`.
TUTTI_API Operation send(const SendView& in, int peer, int tag = 0) noexcept;
TUTTI_API Operation recv(const ReceiveView& out, int peer, int tag = 0) noexcept;
TUTTI_API Operation send_recv(const SendView& in, int to, const ReceiveView& out, int from,
                              int tag = 0) noexcept;

/// Returns when every rank has called it.
TUTTI_API Operation barrier() noexcept;

/// Several operations of one group; views the array that holds them.
class OperationList {
 public:
  OperationList(const Operation* first, std::size_t size) noexcept : first_(first), size_(size) {}
  OperationList(const Operation& one) noexcept
      : first_(&one), size_(1) {}  // NOLINT: a group of one
  const Operation* begin() const noexcept { return first_; }
  const Operation* end() const noexcept { return first_ + size_; }
  std::size_t size() const noexcept { return size_; }
  const Operation& front() const noexcept { return *first_; }
  const Operation& operator[](std::size_t i) const noexcept { return first_[i]; }

 private:
  const Operation* first_;
  std::size_t size_;
};

}  // namespace tutti
