#pragma once

#include <memory>
#include <vector>

#include "mpi/execution.hpp"
#include "mpi/session.hpp"

namespace tutti::mpi::node {

/// Messages of one operation between ranks of different nodes. All are under way together, while
/// the ranks of a node do their part in the memory that they share.
class Messages {
 public:
  explicit Messages(Session& session);
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;
  /// What is still under way is left to MPI, with the memory from `scratch`.
  ~Messages();

  /// Forgets the last operation's, its memory too.
  void clear() noexcept;
  /// Begins a list of messages, of elements of that size. All ranks call it alike: it takes a tag.
  void open(std::size_t element);
  void send(const std::byte* data, std::size_t count, int to);
  void receive(std::byte* data, std::size_t count, int from);
  /// A copy that is made when all messages have come.
  void copy_at_last(const std::byte* from, std::byte* to, std::size_t count);

  void start();
  /// Waits for them all. @throws Error (mismatch) where one was shorter than expected.
  void finish();

  /// At least `bytes` bytes until `clear`.
  std::byte* scratch(std::size_t bytes) { return schedule_->scratch.take(bytes); }

 private:
  Step message(StepKind kind, int peer) const;

  Session& session_;
  std::shared_ptr<Schedule> schedule_;
  Execution execution_;
  std::vector<Step> copies_;
  std::size_t element_ = 1;
  int tag_ = 0;
};

}  // namespace tutti::mpi::node
