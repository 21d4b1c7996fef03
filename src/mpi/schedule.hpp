#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "tutti/reduce_op.hpp"

namespace tutti::mpi {

enum class StepKind : unsigned char {
  // One MPI collective each.
  broadcast,
  all_reduce,
  reduce,
  reduce_scatter,
  reduce_scatter_uneven,
  all_gather,
  all_gather_uneven,
  gather,
  scatter,
  all_to_all,
  scan,
  exclusive_scan,
  barrier,
  // One message each.
  send,
  receive,
  // Local; begin when everything before them is done.
  copy,
  fold,
  divide,
};

constexpr bool is_local(StepKind kind) noexcept {
  return kind >= StepKind::copy;
}
constexpr bool is_message(StepKind kind) noexcept {
  return kind == StepKind::send || kind == StepKind::receive;
}

/// One call or one local computation; which members count depends on the kind.
struct Step {
  StepKind kind = StepKind::barrier;
  DataType type = DataType::byte;  ///< of fold and divide
  int count = 0;                   ///< elements, of one block where there are several
  int peer = 0;                    ///< root, source or destination
  int tag = 0;
  const void* in = nullptr;
  void* out = nullptr;
  MPI_Datatype wire = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;
  std::size_t first = 0;   ///< of this step's entries in the schedule's `ints` or `arrays`
  std::size_t length = 0;  ///< copy: bytes; fold, divide: elements
  std::size_t arrays = 0;  ///< fold: how many; divide: the divisor
};

/// Memory for intermediate results, kept from one use to the next.
class Scratch {
 public:
  /// At least `bytes` bytes, aligned for every element type, until `reset`.
  std::byte* take(std::size_t bytes);
  void reset() noexcept { used_ = 0; }

 private:
  struct Chunk {
    std::unique_ptr<std::byte[]> memory;
    std::size_t size = 0;
  };
  std::vector<Chunk> chunks_;
  std::size_t used_ = 0;
};

/// What one rank does for one operation: a list of steps, worked through from the front. Messages
/// and collectives that stand side by side are under way together. The same list serves blocking
/// and non-blocking execution, once or as often as wanted.
struct Schedule {
  std::vector<Step> steps;
  std::vector<int> ints;            ///< counts and displacements of uneven collectives
  std::vector<const void*> arrays;  ///< what folds reduce
  std::vector<void*> outs;          ///< where folds store, one for each of `arrays`
  ReduceOp reduction = sum;
  Scratch scratch;

  /// Appends a message of `count` elements of `element` bytes, in pieces of at most `most`, which
  /// are as long on the other side.
  void add_message(Step message, std::size_t count, std::size_t element, std::size_t most);
  void clear() noexcept;
};

}  // namespace tutti::mpi
