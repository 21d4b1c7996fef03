#include "core/check.hpp"

#include <cstdint>
#include <limits>

#include "core/block_layout.hpp"
#include "core/scalar.hpp"
#include "core/text.hpp"
#include "tutti/error.hpp"

namespace tutti {

namespace {

std::size_t alignment_of(DataType type) noexcept {
  const bool is_complex = type == DataType::complex64 || type == DataType::complex128;
  return is_complex ? size_of(type) / 2 : size_of(type);
}

bool overlap(const MemoryView& a, const MemoryView& b) noexcept {
  if (a.count == 0 || b.count == 0) return false;
  const auto a_begin = reinterpret_cast<std::uintptr_t>(a.data);
  const auto b_begin = reinterpret_cast<std::uintptr_t>(b.data);
  return a_begin < b_begin + b.bytes() && b_begin < a_begin + a.bytes();
}

constexpr std::size_t most_elements =
    std::numeric_limits<std::size_t>::max() / 32;  // bytes must be countable too

// A set of kinds; one bit each.
using Kinds = std::uint32_t;
constexpr Kinds bit(OperationKind kind) noexcept {
  return Kinds{1} << static_cast<unsigned>(kind);
}
template <class... Kind>
constexpr Kinds all_but(Kind... kinds) noexcept {
  return ~(bit(kinds) | ...);
}

/// On which ranks a side matters: on every one, or on the root.
struct Ranks {
  Kinds every;
  Kinds root;
};
constexpr Ranks sent_by{all_but(OperationKind::scatter, OperationKind::broadcast,
                                OperationKind::recv, OperationKind::barrier),
                        bit(OperationKind::scatter)};
constexpr Ranks received_by{all_but(OperationKind::reduce, OperationKind::gather,
                                    OperationKind::send, OperationKind::barrier),
                            bit(OperationKind::reduce) | bit(OperationKind::gather)};

class Checker {
 public:
  Checker(Operation& op, int rank, int size, int largest_tag)
      : op_(op),
        rank_(rank),
        size_(size),
        largest_tag_(largest_tag),
        needs_send_(needed(sent_by, op.kind)),
        needs_receive_(needed(received_by, op.kind)) {}

  void resolve_unchecked() noexcept {
    drop_what_does_not_matter();
    settle_kind(op_.send);
    settle_kind(op_.receive);
    if (!op_.one_range) return;
    if (is(OperationKind::all_gather)) take_own_block(op_.send, op_.receive);
    if (is(OperationKind::reduce_scatter)) take_own_block(op_.receive, op_.send);
  }

  [[gnu::hot]] void resolve() {
    drop_what_does_not_matter();
    check_side(op_.send, needs_send_);
    check_side(op_.receive, needs_receive_);
    check_sides_agree();
    switch (op_.kind) {
      case OperationKind::all_reduce:
      case OperationKind::scan:
      case OperationKind::exclusive_scan:
        check_reduction();
        check_equal_counts();
        break;
      case OperationKind::reduce:
        check_root();
        check_reduction();
        if (is_root()) check_equal_counts();
        break;
      case OperationKind::broadcast:
        check_root();
        break;
      case OperationKind::all_gather:
        blocks_of(op_.send, op_.receive, op_.receive_blocks, true);
        break;
      case OperationKind::reduce_scatter:
        check_reduction();
        blocks_of(op_.receive, op_.send, op_.send_blocks, true);
        break;
      case OperationKind::gather:
        check_root();
        blocks_of(op_.send, op_.receive, op_.receive_blocks, is_root());
        break;
      case OperationKind::scatter:
        check_root();
        blocks_of(op_.receive, op_.send, op_.send_blocks, is_root());
        break;
      case OperationKind::all_to_all:
        check_all_to_all();
        break;
      case OperationKind::send:
        check_peer(op_.to);
        break;
      case OperationKind::recv:
        check_peer(op_.from);
        break;
      case OperationKind::send_recv:
        check_peer(op_.to);
        check_peer(op_.from);
        break;
      case OperationKind::barrier:
        break;
    }
    check_overlap();
  }

 private:
  template <class... Parts>
  [[noreturn, gnu::cold, gnu::noinline]] void refuse_as(Errc code, const Parts&... parts) const {
    throw Error(code, text(parts...), {describe(op_), rank_, size_});
  }
  template <class... Parts>
  [[noreturn]] void refuse(const Parts&... parts) const {
    refuse_as(Errc::invalid_argument, parts...);
  }

  bool is_root() const noexcept { return rank_ == op_.root; }

  bool is(OperationKind kind) const noexcept { return op_.kind == kind; }

  bool needed(const Ranks& ranks, OperationKind kind) const noexcept {
    return (ranks.every & bit(kind)) != 0 || ((ranks.root & bit(kind)) != 0 && is_root());
  }

  void drop_what_does_not_matter() noexcept {
    if (!needs_send_) op_.send = {};
    if (!needs_receive_) op_.receive = {};
    if (is(OperationKind::gather) && !is_root()) op_.receive_blocks = {};
    if (is(OperationKind::scatter) && !is_root()) op_.send_blocks = {};
  }

  void check_side(MemoryView& side, bool needed) const {
    if (!side.given) {
      if (needed) refuse_side(side);
      return;
    }
    if (side.count == 0) return;
    if (side.data == nullptr || side.count > most_elements || !aligned(side)) [[unlikely]]
      refuse_side(side);
    settle_kind(side);
  }

  static bool aligned(const MemoryView& side) noexcept {
    return (reinterpret_cast<std::uintptr_t>(side.data) & (alignment_of(side.type) - 1)) == 0;
  }

  [[noreturn, gnu::cold, gnu::noinline]] void refuse_side(const MemoryView& side) const {
    const char* const name = &side == &op_.send ? "in" : "out";
    if (!side.given) refuse("`", name, "` is missing; this rank needs it");
    if (side.data == nullptr)
      refuse("`", name, "` is a null pointer with ", side.count, " elements");
    if (side.count > most_elements)
      refuse("`", name, "` has ", side.count, " elements, more than any memory holds");
    refuse("`", name, "` at ", side.data, " is not aligned to ", alignment_of(side.type),
           " bytes, as ", to_string(side.type), " must be");
  }

  static void settle_kind(MemoryView& side) noexcept {
    if (side.given && side.kind == MemoryKind::unspecified) side.kind = MemoryKind::host;
  }

  // One range given: this rank's equal block lies in it.
  void take_own_block(MemoryView& one, const MemoryView& all) const noexcept {
    one.count = all.count / static_cast<std::size_t>(size_);
    one.data = one.count == 0 ? nullptr : at(all, static_cast<std::size_t>(rank_) * one.count);
  }

  void check_sides_agree() const {
    if (!op_.send.given || !op_.receive.given) return;
    if (op_.send.type != op_.receive.type)
      refuse("`in` holds ", to_string(op_.send.type), ", `out` holds ", to_string(op_.receive.type),
             "; both must be of one type");
    if (op_.send.count != 0 && op_.receive.count != 0 && op_.send.kind != op_.receive.kind)
      refuse("one side is host memory, the other device memory; both must be of one kind");
  }

  void check_equal_counts() const {
    if (op_.send.count != op_.receive.count)
      refuse("`in` has ", op_.send.count, " elements, `out` has ", op_.receive.count,
             "; they must be equal");
  }

  void check_root() const {
    if (op_.root < 0 || op_.root >= size_)
      refuse("root ", op_.root, " is outside 0 to ", size_ - 1);
  }

  void check_peer(int peer) const {
    if (peer < 0 || peer >= size_) refuse("peer ", peer, " is outside 0 to ", size_ - 1);
    if (op_.tag < 0 || op_.tag > largest_tag_)
      refuse("tag ", op_.tag, " is outside 0 to ", largest_tag_,
             ", the largest that this MPI library "
             "leaves to users of tutti");
  }

  void check_reduction() const {
    const ReduceOp& op = op_.op;
    const DataType type = op_.send.type;
    if (!reducible(op.kind(), type)) [[unlikely]]
      refuse_reduction();
    if (op.kind() == ReduceOp::Kind::user) check_user_function(type);
    if (op.kind() == ReduceOp::Kind::pre_multiplied) check_scalar(type);
    const bool scans = is(OperationKind::scan) || is(OperationKind::exclusive_scan);
    if (scans && op.kind() == ReduceOp::Kind::avg) refuse_as(Errc::unsupported, "avg has no scan");
  }

  [[noreturn, gnu::cold, gnu::noinline]] void refuse_reduction() const {
    refuse_as(Errc::unsupported, to_string(op_.op.kind()), " is not defined on ",
              to_string(op_.send.type),
              "; the table of reductions in the documentation lists what is");
  }

  // What only a few reductions need lies apart from what all of them do.
  [[gnu::noinline]] void check_user_function(DataType type) const {
    if (op_.op.user_function().type != type)
      refuse("the user's function works on ", to_string(op_.op.user_function().type),
             ", the data is ", to_string(type));
  }

  [[gnu::noinline]] void check_scalar(DataType type) const {
    alignas(16) unsigned char converted[16];
    if (op_.op.device_scalar() != nullptr && op_.send.kind != MemoryKind::device)
      refuse("the scalar of pre_multiplied lies in device memory, the data does not");
    if (op_.op.device_scalar() == nullptr && !convert_scalar(op_.op, type, converted))
      refuse("the scalar ", scalar_text(op_.op), " of pre_multiplied is no value of ",
             to_string(type));
  }

  // `one` holds this rank's block, `all` those of every rank where `all_matters`.
  void blocks_of(MemoryView& one, MemoryView& all, const Blocks& blocks, bool all_matters) {
    if (!all_matters) return;
    BlockLayout layout;
    if (op_.uneven) {
      check_blocks(blocks, all);
      layout = BlockLayout(blocks);
    } else {
      layout = BlockLayout(equal_block(one, all));
    }
    const std::size_t own = layout.count(rank_);
    if (op_.one_range) take_own_block(one, all);
    if (one.count != own)
      refuse("this rank's block has ", one.count, " elements, its entry in the counts is ", own);
  }

  std::size_t equal_block(const MemoryView& one, const MemoryView& all) const {
    const auto n = static_cast<std::size_t>(size_);
    if (op_.one_range) {
      if (all.count % n != 0)
        refuse(all.count, " elements do not divide into ", n, " equal blocks; give Blocks");
      return all.count / n;
    }
    if (all.count / n != one.count || all.count % n != 0)
      refuse("one side has ", all.count, " elements, the other ", one.count, "; the first must be ",
             n, " times the second, one block for each rank (uneven ones: give Blocks)");
    return one.count;
  }

  static void* at(const MemoryView& side, std::size_t offset) noexcept {
    return static_cast<std::byte*>(side.data) + offset * size_of(side.type);
  }

  void check_blocks(const Blocks& blocks, const MemoryView& memory) const {
    const auto n = static_cast<std::size_t>(size_);
    if (blocks.size() != n) refuse("there are ", blocks.size(), " block counts for ", n, " ranks");
    if (blocks.has_offsets() && blocks.offsets_size() != n)
      refuse("there are ", blocks.offsets_size(), " block offsets for ", n, " ranks");
    std::size_t packed = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t count = blocks.counts()[i];
      const std::size_t offset = blocks.has_offsets() ? blocks.offsets()[i] : packed;
      if (count > memory.count || (count != 0 && offset > memory.count - count))
        refuse("block ", i, " (", count, " elements from ", offset, ") does not fit into the ",
               memory.count, " elements given");
      packed += count;
    }
    if (!blocks.has_offsets() && packed != memory.count)
      refuse("the block counts sum to ", packed, ", the memory has ", memory.count, " elements");
  }

  void check_all_to_all() const {
    if (op_.uneven) {
      check_blocks(op_.send_blocks, op_.send);
      check_blocks(op_.receive_blocks, op_.receive);
      return;
    }
    check_equal_counts();
    if (op_.send.count % static_cast<std::size_t>(size_) != 0)
      refuse(op_.send.count, " elements do not divide into ", size_, " equal blocks; give Blocks");
  }

  void check_overlap() const {
    if (op_.receive_blocks.has_offsets()) check_receive_blocks_apart();
    if (!overlap(op_.send, op_.receive) || in_place()) return;
    refuse("`in` at ", op_.send.data, " and `out` at ", op_.receive.data,
           " overlap; in place they must ", in_place_rule());
  }

  void check_receive_blocks_apart() const {
    std::size_t first = 0;
    std::size_t second = 0;
    if (BlockLayout(op_.receive_blocks).find_overlap(first, second))
      refuse("the blocks of ranks ", first, " and ", second, " overlap in `out`");
  }

  std::size_t own_offset(const Blocks& blocks, const MemoryView& all) const {
    return op_.uneven
               ? BlockLayout(blocks).offset(rank_)
               : static_cast<std::size_t>(rank_) * (all.count / static_cast<std::size_t>(size_));
  }

  bool in_place() const {
    switch (op_.kind) {
      case OperationKind::all_gather:
      case OperationKind::gather:
        return op_.send.data == at(op_.receive, own_offset(op_.receive_blocks, op_.receive));
      case OperationKind::reduce_scatter:
      case OperationKind::scatter:
        return op_.receive.data == at(op_.send, own_offset(op_.send_blocks, op_.send));
      case OperationKind::all_to_all:
        return op_.send.data == op_.receive.data &&
               (!op_.uneven || BlockLayout(op_.send_blocks).same_as(op_.receive_blocks));
      default:
        return op_.send.data == op_.receive.data && op_.send.count == op_.receive.count;
    }
  }

  const char* in_place_rule() const noexcept {
    switch (op_.kind) {
      case OperationKind::all_gather:
      case OperationKind::gather:
      case OperationKind::reduce_scatter:
      case OperationKind::scatter:
        return "meet at this rank's own block";
      case OperationKind::all_to_all:
        return "be equal, with equal blocks";
      default:
        return "be equal";
    }
  }

  Operation& op_;
  int rank_;
  int size_;
  int largest_tag_;
  bool needs_send_;
  bool needs_receive_;
};

}  // namespace

void resolve_in_place(Operation& operation, int rank, int size, int largest_tag) {
  Checker(operation, rank, size, largest_tag).resolve();
}

void resolve_unchecked(Operation& operation, int rank, int size) noexcept {
  Checker(operation, rank, size, INT_MAX).resolve_unchecked();
}

Operation resolve(const Operation& operation, int rank, int size, int largest_tag) {
  Operation copy = operation;
  resolve_in_place(copy, rank, size, largest_tag);
  return copy;
}

}  // namespace tutti
