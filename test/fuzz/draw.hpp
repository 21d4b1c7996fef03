#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "fuzz/random.hpp"
#include "tutti/operation.hpp"

namespace tutti::fuzz {

/// Where the two sides of an operation lie.
enum class Place { apart, one_range, equal_pointers };

/// How messages go between ranks: one send_recv each, or a send and a recv in one group.
enum class Messages { none, send_recv, send_and_recv };

/// What all ranks know of one operation; valid by construction.
struct Draw {
  OperationKind kind = OperationKind::barrier;
  DataType type = DataType::byte;
  ReduceOp::Kind reduction = ReduceOp::Kind::sum;
  int root = 0;
  Place place = Place::apart;
  bool uneven = false;
  bool offsets = false;
  /// counts[i][j]: the elements that rank i sends to j; of other kinds than all_to_all counts[0][i]
  /// is rank i's block, of those without blocks counts[0][0] everyone's count.
  std::vector<std::vector<std::size_t>> counts;
  Messages messages = Messages::none;
  int shift = 0;  ///< a message goes from rank i to i + shift
  int tag = 0;
  bool on_device = false;
  std::uint32_t seed = 0;

  bool reduces() const noexcept;
  bool is_rooted() const noexcept;
  std::string text() const;
};

/// What the way that host memory takes is known to do differently.
struct Limits {
  std::size_t largest_count = 40000;
  bool exact_reductions_only = false;  ///< through NCCL: no small floats, no avg of floats
  unsigned device_percent = 0;         ///< of the operations on device memory
};

Draw draw_operation(Random& random, int size, const Limits& limits);

}  // namespace tutti::fuzz
