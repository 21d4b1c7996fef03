#pragma once

#include <mpi.h>

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

#include "tutti/detail/export.hpp"
#include "tutti/device.hpp"
#include "tutti/error.hpp"
#include "tutti/nccl.hpp"
#include "tutti/operation.hpp"
#include "tutti/options.hpp"
#include "tutti/work.hpp"

namespace tutti {

namespace detail {
struct AbortFlag;
}

class Bootstrap;

/// Who would serve an operation.
struct Choice {
  std::string backend;
  std::string algorithm;
  std::string reason;  ///< why not the backends that come before it, if any
};

/// Ends a communicator from any thread, as often as wanted, before and after its destruction.
class TUTTI_API AbortHandle {
 public:
  AbortHandle() = default;
  /// Every later call fails with Errc::aborted on this rank, and so does one under way that was
  /// begun by `start` or has a deadline (Options::timeout, Operation::within): MPI's own blocking
  /// calls, which serve the others, cannot be left. Never throws, never blocks.
  void abort() noexcept;
  bool aborted() const noexcept;

 private:
  friend class Communicator;
  std::shared_ptr<detail::AbortFlag> flag_;
};

/// A group of ranks that do operations together. Works on a private duplicate of the MPI
/// communicator that it is made from, so that the application's messages, handlers and attributes
/// are never touched. Movable; a moved-from or default-made one is not valid(). One thread at a
/// time: a second one that enters is an error. After a failure inside an operation it is broken,
/// and each later call says so.
class TUTTI_API Communicator {
 public:
  Communicator() noexcept;
  /// Collective over `comm`, an intracommunicator, with equal options.
  /// @throws Error, on all ranks alike: invalid_argument for MPI_COMM_NULL or an intercommunicator,
  ///         mpi outside MPI_Init and MPI_Finalize, timeout when a rank does not come.
  explicit Communicator(MPI_Comm comm, const Options& options = {});
  Communicator(Communicator&&) noexcept;
  Communicator& operator=(Communicator&&) noexcept;
  ~Communicator();

  int rank() const;
  int size() const;
  bool valid() const noexcept { return state_ != nullptr; }
  explicit operator bool() const noexcept { return valid(); }
  /// The options in effect, the environment's included.
  const Options& options() const;
  /// The private duplicate; borrowed.
  MPI_Comm mpi() const;
  /// This rank among the ranks of its node, and their number.
  int node_rank() const;
  int node_size() const;
  /// The CUDA device of this rank; none without one. Its only visible device, or that of its local
  /// rank; communicators split from this one keep it.
  Device device() const;

  /// Collective. Ranks of one colour form a communicator, ordered by key, then by rank; with a
  /// negative colour the result is not valid().
  Communicator split(int color, int key = 0) const;
  /// Collective. The same ranks, apart from this communicator's operations.
  Communicator duplicate() const;

  // All ranks use the same verb for the same operation: as MPI's blocking and non-blocking
  // collectives, they do not match each other.

  /// Does the operation, or all of a group at once; on return the results are there. @throws Error
  void run(const Operation& operation) const;
  void run(Operation&& operation) const;
  void run(std::initializer_list<Operation> group) const;
  void run(OperationList group) const;

  /// Begins it; memory and reductions must live until the Work is done.
  Work start(const Operation& operation) const;
  Work start(std::initializer_list<Operation> group) const;
  Work start(OperationList group) const;

  /// Puts it on a CUDA stream, after what is on that stream already, and returns. The null, legacy
  /// and per-thread default streams may be given; a stream that is being captured too, once NCCL is
  /// joined. Device memory only, which must live until the stream has passed it. What NCCL cannot
  /// do is staged: then this returns when all is done, still in the stream's order.
  void enqueue(const Operation& operation, cudaStream_t stream) const;
  void enqueue(Operation&& operation, cudaStream_t stream) const;
  void enqueue(std::initializer_list<Operation> group, cudaStream_t stream) const;
  void enqueue(OperationList group, cudaStream_t stream) const;

  /// Prepares it.
  Plan plan(const Operation& operation) const;
  Plan plan(std::initializer_list<Operation> group) const;
  Plan plan(OperationList group) const;

  /// Registers device memory with NCCL, for as long as the token and the communicator live; it must
  /// be let go before the memory is freed. Local. See Buffer, which does this by itself.
  std::shared_ptr<void> register_memory(void* memory, std::size_t bytes) const;
  std::shared_ptr<void> register_window(void* memory, std::size_t bytes) const;

  /// Which backend and algorithm would serve it in `run`, and why; text for people.
  std::string explain(const Operation& operation) const;
  /// The same for programs.
  Choice choose(const Operation& operation) const;

  /// Ends this communicator on this rank, not the job: see AbortHandle.
  void abort() const noexcept;
  AbortHandle abort_handle() const;

  // The common blocking calls by their plain names: x(...) is run(tutti::x(...)).
  void all_reduce(const SendView& in, const ReceiveView& out, const ReduceOp& op = sum) const;
  void all_reduce(const ReceiveView& data, const ReduceOp& op = sum) const;
  void reduce(const SendView& in, const ReceiveView& out, const ReduceOp& op, int root) const;
  void reduce(const ReceiveView& data, const ReduceOp& op, int root) const;
  void broadcast(const ReceiveView& data, int root) const;
  void all_gather(const SendView& in, const ReceiveView& out) const;
  void all_gather(const ReceiveView& data) const;
  void all_gather(const SendView& in, const ReceiveView& out, const Blocks& blocks) const;
  void reduce_scatter(const SendView& in, const ReceiveView& out, const ReduceOp& op = sum) const;
  void reduce_scatter(const ReceiveView& data, const ReduceOp& op = sum) const;
  void reduce_scatter(const SendView& in, const ReceiveView& out, const ReduceOp& op,
                      const Blocks& blocks) const;
  void gather(const SendView& in, const ReceiveView& out, int root) const;
  void gather(const SendView& in, const ReceiveView& out, int root, const Blocks& blocks) const;
  void scatter(const SendView& in, const ReceiveView& out, int root) const;
  void scatter(const SendView& in, const ReceiveView& out, int root, const Blocks& blocks) const;
  void all_to_all(const SendView& in, const ReceiveView& out) const;
  void all_to_all(const SendView& in, const Blocks& in_blocks, const ReceiveView& out,
                  const Blocks& out_blocks) const;
  void scan(const SendView& in, const ReceiveView& out, const ReduceOp& op = sum) const;
  void exclusive_scan(const SendView& in, const ReceiveView& out, const ReduceOp& op = sum) const;
  void send(const SendView& in, int peer, int tag = 0) const;
  void recv(const ReceiveView& out, int peer, int tag = 0) const;
  void send_recv(const SendView& in, int to, const ReceiveView& out, int from, int tag = 0) const;
  void barrier() const;

  friend class DeviceGroup;
  friend ncclComm* nccl::handle_of(const Communicator& communicator);
  friend class nccl::Window;

  /// Shared by the communicator, its works, plans and abort handles; known to src/ alone.
  class State;

 private:
  explicit Communicator(std::shared_ptr<State> state) noexcept;
  State& state() const;
  std::shared_ptr<Bootstrap> make_bootstrap() const;
  std::shared_ptr<State> state_;
};

/// Ends the whole job, for the rank that cannot go on: writes `why` to the log and calls MPI_Abort.
[[noreturn]] TUTTI_API void end_job(int status, std::string_view why);

}  // namespace tutti
