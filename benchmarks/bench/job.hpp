#pragma once

#include <tutti/operation.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

namespace tutti::bench {

struct Collective;

enum class Verb { run, start, enqueue, plan };
inline constexpr Verb all_verbs[] = {Verb::run, Verb::start, Verb::enqueue, Verb::plan};
std::string_view to_string(Verb verb) noexcept;

/// The scalar of `--op pre_multiplied`: a power of two that every type holds.
inline constexpr int scalar = 2;

/// A reduction by its name.
ReduceOp reduction(ReduceOp::Kind kind);

/// One row to be: what every contender does, as one rank sees it.
struct Job {
  const Collective* collective = nullptr;
  DataType type = DataType::float32;
  ReduceOp::Kind op = ReduceOp::Kind::sum;
  int root = 0;
  bool in_place = false;
  bool uneven = false;
  Verb verb = Verb::run;
  int rank = 0;
  int size = 1;

  /// Elements of the whole array, or of one rank's block where the array has one block a rank.
  std::size_t count = 0;
  /// The blocks where there are some: elements of each and where it begins. Equal unless uneven.
  std::vector<std::size_t> counts;
  std::vector<std::size_t> offsets;
  /// Of all_to_all, this rank's blocks, which are the same on both sides.
  std::vector<std::size_t> pair_counts;
  std::vector<std::size_t> pair_offsets;

  /// Elements of the whole array: what `bytes` and the bandwidths are about.
  std::size_t total = 0;

  std::size_t bytes() const { return total * size_of(type); }
  bool is_root() const { return rank == root; }
  std::size_t own_count() const { return counts[static_cast<std::size_t>(rank)]; }
  std::size_t own_offset() const { return offsets[static_cast<std::size_t>(rank)]; }
  /// Elements that rank `from` sends to rank `to` in all_to_all.
  std::size_t pair(int from, int to) const {
    return counts[static_cast<std::size_t>((from + to) % size)];
  }
};

/// Sets the counts for an array of at most `bytes`: whole elements, and whole blocks on every rank
/// where there are blocks. What does not fit is left away, but for one element, or one in every
/// block, where that leaves nothing of a size that is not 0: a row that moves nothing would compare
/// nothing. `Job::bytes` tells what is moved.
void set_size(Job& job, std::uint64_t bytes);

}  // namespace tutti::bench
