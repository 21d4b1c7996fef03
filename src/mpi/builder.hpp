#pragma once

#include <string_view>

#include "core/block_layout.hpp"
#include "mpi/schedule.hpp"
#include "mpi/session.hpp"
#include "tutti/operation.hpp"

namespace tutti::mpi {

/// How an operation will be done; `algorithm_for` decides, the builder follows.
enum class Algorithm {
  none,         ///< nothing to move: one rank, or nobody to talk to
  collective,   ///< MPI's collective of that name, cut where a count is too large for one call
  messages,     ///< messages between all pairs
  gather_fold,  ///< everybody's data to where the result is wanted, reduced there in rank order
  slice_fold,   ///< each rank reduces one slice in rank order, then the slices travel on
};

/// How often ranks may wait for one another inside an operation. What is only started must need no
/// more than one exchange, because nobody may be there to begin another.
enum class Phases { any, one };

std::string_view to_string(Algorithm algorithm) noexcept;

/// A pure function of what all ranks agree on, so that all ranks take the same way.
Algorithm algorithm_for(const Operation& operation, const Session& session, Phases phases);

/// Turns one resolved operation into the schedule of this rank.
class Builder {
 public:
  Builder(const Operation& operation, Session& session, Schedule& schedule, Phases phases);
  void build();

 private:
  bool moves_nothing() const noexcept;
  // builder.cpp
  void self_only();
  void barrier();
  void point_to_point();
  // movement.cpp
  void broadcast();
  void all_gather(Algorithm algorithm);
  void gather(Algorithm algorithm);
  void scatter(Algorithm algorithm);
  void all_to_all(Algorithm algorithm);
  // combining.cpp: MPI's reductions with tutti's arithmetic
  void combine();
  void combine_scatter();
  void combine_scatter_uneven();
  // folding.cpp: reductions in rank order
  void gather_fold();
  void slice_fold();

  struct Slices;
  void all_gather_uneven(const BlockLayout& blocks);
  int last_folded() const noexcept;
  void fold_blocks();
  template <class Length, class Place>
  void exchange_and_fold(std::byte* arriving, const Length& length, const Place& place);
  void spread_results(const Slices& slices, std::byte* result);
  void spread_prefixes(const Slices& slices, std::byte* prefixes);

  void collective(StepKind kind, const void* in, void* out, std::size_t count, int root = 0);
  void send(const void* data, std::size_t count, int peer);
  void receive(void* data, std::size_t count, int peer);
  void add_message(Step& message, std::size_t count, int peer);
  void copy(const void* in, void* out, std::size_t count);
  void divide(void* data, std::size_t count);
  /// Reserves a fold's entries; fill `arrays` and `outs` from the returned index on.
  std::size_t fold(std::size_t n_arrays, std::size_t count);
  std::byte* scratch(std::size_t count) { return schedule_.scratch.take(count * element_); }
  int tag();

  const std::byte* in(std::size_t element) const noexcept { return at(op_.send.data, element); }
  std::byte* out(std::size_t element) const noexcept { return at(op_.receive.data, element); }
  std::byte* at(void* base, std::size_t element) const noexcept {
    return static_cast<std::byte*>(base) + element * element_;
  }
  BlockLayout send_layout() const;
  BlockLayout receive_layout() const;
  bool is_root() const noexcept { return rank_ == op_.root; }
  bool in_place() const noexcept { return op_.send.data == op_.receive.data; }

  const Operation& op_;
  Session& session_;
  Schedule& schedule_;
  Phases phases_;
  int rank_;
  int size_;
  std::size_t n_;  ///< size_ as a count
  DataType type_;
  std::size_t element_;  ///< bytes of one element
  std::size_t max_;      ///< elements of one MPI call
  MPI_Datatype wire_;
  int tag_ = -1;
};

}  // namespace tutti::mpi
