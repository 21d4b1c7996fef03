#pragma once

#include <tutti/reduce_op.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "bench/segment.hpp"

namespace tutti::bench {

/// The byte that memory to be received into is filled with beforehand.
inline constexpr unsigned char poison = 0xa5;

/// Values whose reduction is known from mathematics alone, exactly and in whatever order it is
/// done: integers use all their bits (their sums wrap modulo 2^bits), floating point holds integers
/// so small that every partial sum over all ranks is exact in the type. `avg` of floating point is
/// the exception: a relative error of two units in the last place is allowed.
///
/// Values repeat with a prime period, so that shifted or swapped blocks are seen, and differ from
/// seed to seed, so that an old result is not taken for a new one. Not thread-safe.
class Pattern {
 public:
  /// The recipe of one verification. Without a reduction, data is only moved.
  struct Recipe {
    DataType type = DataType::float32;
    std::optional<ReduceOp::Kind> op;
    int size = 1;
    std::uint64_t seed = 0;
  };

  explicit Pattern(const Recipe& recipe) : recipe_(recipe) {}

  /// Writes elements `index`, index + 1, ... of what `rank` sends.
  void fill(int rank, std::size_t index, void* out, std::size_t count);

  /// How many of `count` elements at `data` are not what `segment` asks for from its element
  /// `offset` on.
  std::size_t mismatches(const Segment& segment, std::size_t offset, const void* data,
                         std::size_t count);

 private:
  using Table = std::vector<std::byte>;
  const Table& input(int rank);
  const Table& expected(const Segment& segment);
  std::size_t compare(const Table& table, std::size_t at, const std::byte* data,
                      std::size_t count) const;

  Recipe recipe_;
  std::map<int, Table> inputs_;
  std::map<std::pair<int, int>, Table> expected_;
};

}  // namespace tutti::bench
