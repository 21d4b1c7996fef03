#include "mpi/node/backend.hpp"

#include <cstring>
#include <exception>

#include "core/activity.hpp"
#include "core/log.hpp"
#include "core/text.hpp"
#include "mpi/call.hpp"
#include "mpi/node/node_call.hpp"
#include "mpi/node/task.hpp"

namespace tutti::mpi::node {

namespace {

// Each rank has its part of a slot, in whole cache lines.
constexpr int most_ranks = 512;

bool moves_nothing(const Operation& op) noexcept {
  const MemoryView& counted = op.send.given ? op.send : op.receive;
  return !op.uneven && op.kind != OperationKind::barrier && counted.count == 0 &&
         op.receive.count == 0;
}

bool has_deadline(const Operation& op, const Options& options) noexcept {
  return op.timeout.count() < 0 ? options.timeout.count() > 0 : op.timeout.count() > 0;
}

/// What every rank knows alike, although nodes may differ in size: where there are several, each is
/// smaller than the communicator.
bool within_one_node(const Session& session) noexcept {
  const auto size = static_cast<std::size_t>(session.size());
  const std::size_t pretended = session.options().node_size;
  return session.node_size() == session.size() && (pretended == 0 || pretended >= size);
}

}  // namespace

NodeBackend::NodeBackend(std::shared_ptr<Session> session)
    : session_(std::move(session)),
      mpi_(session_),
      choice_(session_->tuning().rules, session_->tuning().file,
              static_cast<std::size_t>(session_->size()),
              within_one_node(*session_) && session_->options().host_path != HostPath::node) {
  const Options& options = session_->options();
  const auto size = static_cast<std::size_t>(session_->size());
  one_node_ = session_->board().shows(session_->size()) &&
              (options.node_size == 0 || options.node_size >= size);
  sharing_ = Sharing::no;
  if (options.host_path == HostPath::mpi)
    why_not_ = "Options::host_path is mpi (TUTTI_HOST_PATH)";
  else if (session_->size() == 1)
    why_not_ = "a rank alone shares with nobody";
  else if (session_->size() > most_ranks)
    why_not_ = text("more than ", most_ranks, " ranks");
  else
    sharing_ = Sharing::unknown;
}

Support NodeBackend::supports(const Operation& operation) const {
  if (Support support = mpi_.supports(operation); !support) return support;
  if (sharing_ == Sharing::no) return {false, why_not_};
  if (!is_collective(operation.kind)) return {false, "messages between two ranks are MPI's"};
  if (!choice_.asks(operation) && choice_.of(operation) == Way::mpi)
    return {false, choice_.describe(operation)};
  if (!one_node_ && has_deadline(operation, session_->options()))
    return {false, "over several nodes MPI's non-blocking calls do what has a deadline"};
  if (const char* const why = hierarchy_ ? hierarchy_->reason_against(operation) : nullptr)
    return {false, text("over several nodes: ", why)};
  return {};
}

std::string NodeBackend::algorithm(const Operation& operation) const {
  const bool over_nodes = hierarchy_ || (sharing_ == Sharing::unknown && !one_node_);
  return over_nodes ? "shared memory within nodes, MPI between them" : choice_.describe(operation);
}

std::string NodeBackend::why_by_mpi(const Operation& operation) const {
  const bool lost = direct_ && direct_->has_lost(operation.kind);
  if (!lost || choice_.of(operation) != Way::direct_or_mpi) return {};
  return choice_.describe(operation) + ": here it does not pay or cannot be done";
}

Route NodeBackend::route_of(const Operation& operation) const noexcept {
  const bool asks = choice_.asks(operation);
  return {asks, asks ? Way::shared : choice_.of(operation), moves_nothing(operation),
          signature_of(operation)};
}

void NodeBackend::run(OperationList operations, Deadline deadline) {
  if (operations.size() == 1 && is_collective(operations[0].kind)) {
    if (run_here(operations[0], route_of(operations[0]), deadline)) return;
    leave_to_mpi();
  }
  mpi_.run(operations, deadline);
}

bool NodeBackend::run_here(const Operation& operation, const Route& route, Deadline deadline) {
  if (!takes(operation, route.way, deadline)) return false;
  if (route.moves_nothing) return true;
  team_->enter(route.signature, deadline);
  try {
    return run_inside(operation, route);
  } catch (const std::exception& error) {
    team_->leave_failed(error.what());
    throw;
  } catch (...) {
    team_->leave_failed("an exception of an unknown type");
    throw;
  }
}

bool NodeBackend::run_inside(const Operation& operation, const Route& route) {
  if (hierarchy_) {
    hierarchy_->run(operation);
    return true;
  }
  NodeCall call(operation, *team_, *buffers_, *direct_);
  if (route.asks && choice_.of_asked(operation.kind, call.ask_sizes().total) == Way::mpi)
    return false;
  return call.run(route.way);
}

void NodeBackend::give_up() noexcept {
  session_->board().give_up();
  if (team_) team_->leave_broken();
}

// Between nodes MPI's blocking calls do the work, which no deadline ends.
bool NodeBackend::takes(const Operation& operation, Way way, Deadline deadline) {
  if (sharing_ == Sharing::no || way == Way::mpi) return false;
  if (!one_node_ && deadline.set()) return false;
  if (sharing_ == Sharing::unknown) [[unlikely]]
    share(deadline);
  if (hierarchy_) return hierarchy_->reason_against(operation) == nullptr;
  return sharing_ == Sharing::yes;
}

// All ranks of the communicator or none, since all must take the same way.
void NodeBackend::share(Deadline deadline) {
  nodes_ = one_node_ ? std::make_unique<Nodes>(session_->rank(), session_->size())
                     : std::make_unique<Nodes>(*session_);
  if (nodes_->count() == session_->size()) return stay_apart("every rank is alone on its node");
  const std::vector<int>& members = nodes_->members(nodes_->own());
  const int rank = nodes_->index_of(session_->rank());
  memory_ =
      std::make_unique<SharedMemory>(rank, static_cast<int>(members.size()), Team::bytes_for_each);
  SharedFile file;
  if (rank == 0) file = memory_->offer();
  const bool mapped = memory_->map(told_by_first(file, deadline));
  if (mapped)
    team_ = std::make_unique<Team>(memory_->data(), rank, members, session_->abort_flag());
  const bool all_mapped = by_all(mapped, deadline);
  memory_->close_file();
  if (!all_mapped) {
    const std::string why = mapped ? "another rank could not share memory" : memory_->why();
    log(LogLevel::warn, "collectives on host memory go through MPI alone: " + why);
    return stay_apart(why);
  }
  team_->meet();
  buffers_ = std::make_unique<SharedBuffers>(team_->size());
  direct_ = std::make_unique<Direct>(*team_);
  sharing_ = Sharing::yes;
  if (nodes_->count() > 1) hierarchy_ = std::make_unique<Hierarchy>(*session_, *nodes_, *team_);
}

// Ranks of one node tell each other on the board, where a deadline or an abort ends the waiting
// wherever the others are; one that comes late finds nobody, and waits no longer than its own.
std::uint64_t NodeBackend::tell_all(const StatusBoard::Words& words, Deadline deadline) {
  const std::uint64_t turn = session_->board().put(words);
  session_->await_words(
      turn, deadline, "not all ranks had come to their first collective when the deadline passed");
  return turn;
}

SharedFile NodeBackend::told_by_first(SharedFile file, Deadline deadline) {
  if (one_node_) {
    StatusBoard::Words words{};
    static_assert(sizeof file <= sizeof words);
    std::memcpy(words.data(), &file, sizeof file);
    const std::uint64_t turn = tell_all(words, deadline);
    std::memcpy(static_cast<void*>(&file), session_->board().words_of(0, turn).data(), sizeof file);
    return file;
  }
  TUTTI_MPI(MPI_Bcast(&file, sizeof file, MPI_BYTE, 0, nodes_->within()));
  return file;
}

bool NodeBackend::by_all(bool yes, Deadline deadline) {
  int all = yes ? 1 : 0;
  if (one_node_) {
    const std::uint64_t turn = tell_all({all}, deadline);
    for (std::size_t r = 0; r < session_->board().all().size(); ++r)
      if (session_->board().words_of(r, turn)[0] == 0) return false;
    return true;
  }
  TUTTI_MPI(MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, session_->comm()));
  return all != 0;
}

void NodeBackend::stay_apart(std::string why) {
  why_not_ = std::move(why);
  sharing_ = Sharing::no;
  team_.reset();
  memory_.reset();
  nodes_.reset();
}

// Shared memory may not have been made yet: the first run does that.
std::unique_ptr<Task> NodeBackend::prepare(OperationList operations) {
  const bool here = operations.size() == 1 && supports(operations[0]).yes;
  if (!here) return mpi_.prepare(operations);
  return std::make_unique<NodeTask>(*this, session_, operations[0]);
}

void NodeBackend::enqueue(OperationList operations, cudaStream_t stream, Deadline deadline) {
  mpi_.enqueue(operations, stream, deadline);
}

}  // namespace tutti::mpi::node
