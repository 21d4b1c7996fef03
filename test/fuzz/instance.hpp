#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <vector>

#include "fuzz/draw.hpp"
#include "support/area.hpp"

namespace tutti::fuzz {

/// One rank's part of a drawn operation: memory, what is in it, and what must be in it afterwards,
/// computed from the definition of the operation. Operations view it.
class Instance {
 public:
  Instance(const Draw& draw, int rank, int size);
  Instance(Instance&&) = delete;

  /// One, or two for messages.
  const std::vector<Operation>& operations() const noexcept { return operations_; }

  /// Makes nonsense of the block counts and offsets that operations view.
  void forget_blocks();

  /// Fills all memory anew; `round` makes the contents differ.
  void arm(std::uint32_t round);
  /// Whether the operation has done this and nothing else, or nothing at all.
  testing::AssertionResult is_done();
  testing::AssertionResult is_untouched();

 private:
  struct Layout {
    std::vector<std::size_t> counts;
    std::vector<std::size_t> offsets;
    std::size_t extent = 0;
  };

  test::Area& memory(std::size_t count);
  const Layout& lay_out(std::vector<std::size_t> counts, bool with_offsets, std::uint64_t seed);
  Blocks blocks(const Layout& layout) const;
  ReduceOp reduction() const;
  test::Bytes input(int rank, std::size_t count) const;
  test::Bytes reduced(int ranks, std::size_t count) const;
  static test::Bytes part(const test::Bytes& whole, DataType type, std::size_t first,
                          std::size_t count);
  std::size_t count_at(int i) const { return draw_.counts[0][static_cast<std::size_t>(i)]; }

  void make_same_count();
  void make_broadcast();
  void make_all_gather();
  void make_reduce_scatter();
  void make_gather();
  void make_scatter();
  void make_all_to_all();
  void make_messages();
  void make();
  void forget_empty_memory();

  /// Elements at a place of some memory.
  struct Piece {
    test::Area* area;
    std::size_t offset;
    test::Bytes bytes;
  };
  void give(test::Area& area, std::size_t offset, test::Bytes bytes);
  void await(test::Area& area, std::size_t offset, test::Bytes bytes);

  Draw draw_;
  int rank_;
  int size_;
  std::uint32_t round_ = 0;
  std::deque<test::Area> areas_;
  std::size_t areas_used_ = 0;
  std::deque<Layout> layouts_;
  std::vector<Piece> results_;
  std::vector<Operation> operations_;
};

}  // namespace tutti::fuzz
