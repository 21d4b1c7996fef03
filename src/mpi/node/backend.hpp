#pragma once

#include <functional>
#include <memory>
#include <string>

#include "mpi/backend.hpp"
#include "mpi/node/choice.hpp"
#include "mpi/node/direct.hpp"
#include "mpi/node/hierarchy.hpp"
#include "mpi/node/nodes.hpp"
#include "mpi/node/shared_buffers.hpp"
#include "mpi/node/team.hpp"
#include "mpi/shared_memory.hpp"

namespace tutti::mpi::node {

/// What is decided about an operation before it is run, by what all ranks know.
struct Route {
  bool asks;  ///< whether MPI does it depends on bytes that are told when all ranks have come
  Way way;
  bool moves_nothing;
  Signature signature;
};

/// Host memory through memory that the ranks of a node share, where that is faster than the MPI
/// library; everything else through an MPI backend of its own. The shared memory is made at the
/// first operation that wants it; where it cannot be had, the log tells once and MPI does it all.
class NodeBackend final : public Backend {
 public:
  explicit NodeBackend(std::shared_ptr<Session> session);

  std::string_view name() const noexcept override { return "node"; }
  int rank() const noexcept override { return session_->rank(); }
  int size() const noexcept override { return session_->size(); }
  Support supports(const Operation& operation) const override;
  std::string algorithm(const Operation& operation) const override;
  /// Collective over the communicator where the shared memory is made.
  void run(OperationList operations, Deadline deadline) override;
  /// A single collective that is served goes as `run` does when the task is run, and through MPI
  /// when it is started.
  std::unique_ptr<Task> prepare(OperationList operations) override;
  void enqueue(OperationList operations, cudaStream_t stream, Deadline deadline) override;

  /// Why MPI does an operation that this backend takes in, as far as it is known before; else
  /// empty.
  std::string why_by_mpi(const Operation& operation) const;
  /// `tell` is called whenever MPI is about to do a collective that was asked of this backend.
  void when_left_to_mpi(std::function<void()> tell) { tell_left_to_mpi_ = std::move(tell); }
  void leave_to_mpi() const {
    if (tell_left_to_mpi_) tell_left_to_mpi_();
  }

  /// The communicator is broken, wherever that happened: ranks of the node that wait for this one
  /// in memory that they share are told. Idempotent.
  void give_up() noexcept;

  Route route_of(const Operation& operation) const noexcept;
  /// As `run`, for one operation; false, with nothing done, where it is left to MPI.
  bool run_here(const Operation& operation, const Route& route, Deadline deadline);

 private:
  enum class Sharing { unknown, yes, no };

  bool takes(const Operation& operation, Way way, Deadline deadline);
  /// Between the ranks of the node, whom an exception tells that this one has left.
  bool run_inside(const Operation& operation, const Route& route);
  void share(Deadline deadline);
  SharedFile told_by_first(SharedFile file, Deadline deadline);
  bool by_all(bool yes, Deadline deadline);
  std::uint64_t tell_all(const StatusBoard::Words& words, Deadline deadline);
  void stay_apart(std::string why);

  std::shared_ptr<Session> session_;
  MpiBackend mpi_;
  Chooser choice_;
  Sharing sharing_;
  bool one_node_;  ///< and its ranks see each other on the board
  std::string why_not_;
  std::unique_ptr<Nodes> nodes_;
  std::unique_ptr<SharedMemory> memory_;
  std::unique_ptr<Team> team_;
  std::unique_ptr<SharedBuffers> buffers_;
  std::unique_ptr<Direct> direct_;
  std::unique_ptr<Hierarchy> hierarchy_;  ///< where there are several nodes
  std::function<void()> tell_left_to_mpi_;
};

}  // namespace tutti::mpi::node
