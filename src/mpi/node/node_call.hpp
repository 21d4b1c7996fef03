#pragma once

#include "mpi/node/choice.hpp"
#include "mpi/node/direct.hpp"
#include "mpi/node/movement.hpp"
#include "mpi/node/reduction.hpp"
#include "mpi/node/shared_buffers.hpp"
#include "mpi/node/team.hpp"
#include "tutti/operation.hpp"

namespace tutti::mpi::node {

/// An operation in the terms of the node's algorithms.
class NodeCall {
 public:
  NodeCall(const Operation& op, Team& team, SharedBuffers& buffers, Direct& direct) noexcept
      : op_(op),
        team_(team),
        buffers_(buffers),
        direct_(direct),
        type_(op.send.given ? op.send.type : op.receive.type),
        element_(size_of(type_)) {}

  /// Of blocks whose sizes not all ranks know. All ranks ask, or none does.
  BlockSizes ask_sizes();
  /// False, on all ranks alike and with nothing done, where it is left to MPI.
  bool run(Way way);

 private:
  void run_through_slots(Way way);
  /// False where it has to be done otherwise; on all ranks alike.
  bool run_directly(Way way);
  bool is_handed_well(std::size_t bytes) const noexcept;
  bool is_scattered_well(std::size_t block) const noexcept;
  bool is_exchanged_well(std::size_t block) const noexcept;
  bool is_direct(Way way, std::size_t block, bool well);
  void gather_blocks();
  void scatter_blocks();
  void exchange_blocks();
  /// Of the root, or of nobody.
  ByteBlocks blocks_of_root() const noexcept;
  /// `own` where all blocks are equal.
  std::size_t longest(std::size_t own);

  Arithmetic arithmetic() const noexcept { return {op_.op, type_, element_}; }
  const std::byte* in() const noexcept { return static_cast<const std::byte*>(op_.send.data); }
  std::byte* out() const noexcept { return static_cast<std::byte*>(op_.receive.data); }
  ByteBlocks sent() const noexcept { return blocks(op_.send_blocks, op_.send.count); }
  ByteBlocks received() const noexcept { return blocks(op_.receive_blocks, op_.receive.count); }
  ByteBlocks blocks(const Blocks& given, std::size_t total) const noexcept {
    return {given.given() ? BlockLayout(given) : BlockLayout(total / team_.n()), element_};
  }

  const Operation& op_;
  Team& team_;
  SharedBuffers& buffers_;
  Direct& direct_;
  DataType type_;
  std::size_t element_;
  BlockSizes sizes_{};
  bool asked_ = false;
};

}  // namespace tutti::mpi::node
