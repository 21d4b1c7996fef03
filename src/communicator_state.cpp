#include "communicator_state.hpp"

#include <algorithm>
#include <exception>
#include <optional>

#include "core/check.hpp"
#include "core/log.hpp"
#include "core/text.hpp"
#include "cuda/stream.hpp"
#include "mpi/call.hpp"
#include "mpi/leftovers.hpp"
#include "placing.hpp"

namespace tutti {

namespace {

// Refused before anything moved.
bool leaves_whole(Errc code) noexcept {
  return code == Errc::invalid_argument || code == Errc::unsupported || code == Errc::mismatch;
}

/// Of an exception that is being handled, if it has any: ": no convergence".
std::string current_words() {
  try {
    throw;
  } catch (const std::exception& error) {
    return ": " + printable(error.what());
  } catch (...) {
    return {};
  }
}

}  // namespace

Communicator::State::State(std::shared_ptr<mpi::Session> session, Device device)
    : aborted_(&session->abort_flag()->aborted),
      threads_compete_(session->thread_level() == MPI_THREAD_MULTIPLE),
      compares_results_(session->options().check == Check::results),
      without_deadlines_(session->options().timeout.count() == 0),
      admits_plainly_(session->options().check == Check::local &&
                      session->options().host_path != HostPath::nccl),
      repeats_(admits_plainly_ && without_deadlines_ && Recorder::opened() == nullptr),
      session_(std::move(session)),
      tracker_(session_),
      dispatch_(session_, device) {
  admitted_.reserve(8);
  if (tracker_.records())
    dispatch_.when_left_to_mpi([this] { tracker_.served_by(record_file::BackendName("mpi")); });
  dispatch_.join_at_once();
}

void Communicator::State::refuse_second(int thread, int holder) const {
  throw Error(Errc::invalid_argument,
              text("thread ", thread, " calls a communicator that thread ", holder,
                   " is using; one thread at a time (duplicate() makes another communicator)"),
              {"", session_->rank(), session_->size()});
}

void Communicator::State::look_closer(int thread) {
  try {
    if (!usable()) refuse_use();
    check_thread(thread);
  } catch (...) {
    inside_.store(0, std::memory_order_release);
    throw;
  }
}

void Communicator::State::refuse_use() const {
  const ErrorPlace place{"", session_->rank(), session_->size()};
  if (forks_ != forks_since_start())
    throw Error(Errc::broken,
                "this is a forked child: MPI works in the process that called MPI_Init only",
                place);
  if (mpi::finalized())
    throw Error(Errc::mpi, "MPI is finalised already: nothing can communicate any more", place);
  if (session_->abort_flag()->aborted.load(std::memory_order_relaxed))
    throw Error(Errc::aborted, "the communicator was aborted", place);
  throw Error(Errc::broken, "the communicator is broken since an earlier failure: " + broken_by_,
              place);
}

void Communicator::State::check_thread(int thread) {
  int is_main = 0;
  TUTTI_MPI(MPI_Is_thread_main(&is_main));
  if (is_main == 0 && session_->thread_level() < MPI_THREAD_SERIALIZED)
    throw Error(Errc::invalid_argument,
                "MPI runs with MPI_THREAD_SINGLE or MPI_THREAD_FUNNELED: only the thread that "
                "initialised it may call tutti; other threads need MPI_THREAD_SERIALIZED or "
                "MPI_THREAD_MULTIPLE",
                {"", session_->rank(), session_->size()});
  known_thread_ = thread;
}

void Communicator::State::admit_alone(Operation& operation) {
  if (needs_placing(operation, checked_)) [[unlikely]]
    place(operation, checked_, dispatch_, session_->rank(), session_->size());
  if (session_->options().check == Check::none) [[unlikely]]
    return resolve_unchecked(operation, session_->rank(), session_->size());
  resolve_in_place(operation, session_->rank(), session_->size(), session_->largest_user_tag());
}

bool Communicator::State::compares(const Operation& operation) const noexcept {
  return session_->options().check >= Check::global && is_collective(operation.kind);
}

Occasion Communicator::State::next_occasion(OperationList group, Verb verb) {
  const auto compared = [](const Operation& operation) { return is_collective(operation.kind); };
  return {sequence_++,
          static_cast<std::size_t>(std::count_if(group.begin(), group.end(), compared)), verb};
}

void Communicator::State::admit_fully(Operation& operation, Verb verb, Deadline deadline) {
  if (compares(operation))
    admit_with_all_ranks(operation, next_occasion(operation, verb), deadline);
  else
    admit_alone(operation);
  dispatch_.join_for(operation, session_->options());
}

OperationList Communicator::State::admit(OperationList group, Verb verb, Deadline deadline) {
  admitted_.assign(group.begin(), group.end());
  // Messages first: a refused one is told with the first collective, which the others wait in.
  std::optional<Error> refusal;
  for (Operation& operation : admitted_) {
    if (compares(operation) || refusal) continue;
    try {
      admit_alone(operation);
    } catch (const Error& error) {
      refusal = error;
    }
  }
  for (Operation& operation : admitted_)
    if (compares(operation))
      admit_with_all_ranks(operation, next_occasion(group, verb), deadline, refusal);
  if (refusal) throw Error(*refusal);
  for (const Operation& operation : admitted_) dispatch_.join_for(operation, session_->options());
  const OperationList admitted(admitted_.data(), admitted_.size());
  note_admitted(admitted, verb);
  return admitted;
}

// Host memory that goes through the device does so once NCCL is joined: what served its messages
// before serves them no more.
void Communicator::State::record_server(OperationList group, Verb verb) {
  const Operation& first = group.front();
  const bool alone = group.size() == 1 && verb == Verb::run;
  if (const record_file::BackendName* const known = alone ? known_servers_.find(first) : nullptr)
    return tracker_.served_by(*known);
  const record_file::BackendName name(dispatch_.server_of(group, verb));
  tracker_.served_by(name);
  if (alone && session_->options().host_path != HostPath::nccl) known_servers_.add(first, name);
}

void Communicator::State::refuse_to_join_while_capturing(cudaStream_t stream) const {
  if (!dispatch_.settled() && dispatch_.nccl().reason().empty() && cuda::is_capturing(stream))
    throw Error(
        Errc::unsupported,
        "the stream is being captured and NCCL is not joined yet, which cannot be done then: run a "
        "collective before, or use Options::join (TUTTI_NCCL_JOIN=eager)");
}

void Communicator::State::admit_fully_for_stream(Operation& operation, cudaStream_t stream,
                                                 Deadline deadline) {
  refuse_to_join_while_capturing(stream);
  admit_fully(operation, Verb::enqueue, deadline);
  if (operation.kind == OperationKind::barrier) dispatch_.join_for_stream();
}

void Communicator::State::enqueue(Operation& operation, cudaStream_t stream) {
  const Operation given = operation;
  const Deadline deadline = deadline_for(operation);
  admit_for_stream(operation, stream, deadline);
  dispatch_.enqueue(operation, stream, deadline);
  if (!repeats_ || !RepeatedCalls::takes(given)) return;
  if (const auto call = dispatch_.repeatable(operation)) repeated_.add(given, *call);
}

OperationList Communicator::State::admit_for_stream(OperationList group, cudaStream_t stream,
                                                    Deadline deadline) {
  refuse_to_join_while_capturing(stream);
  const OperationList admitted = admit(group, Verb::enqueue, deadline);
  // Wherever it stands: the order within a group is each rank's own.
  const auto is_barrier = [](const Operation& op) { return op.kind == OperationKind::barrier; };
  if (std::any_of(group.begin(), group.end(), is_barrier)) dispatch_.join_for_stream();
  return admitted;
}

void Communicator::State::compare_split() {
  const std::chrono::milliseconds timeout = session_->options().timeout;
  if (session_->options().check >= Check::global)
    cross_check(*session_, tutti::barrier(), {sequence_++, 1, Verb::split}, std::nullopt,
                timeout.count() > 0 ? Deadline::in(timeout) : Deadline());
  tracker_.admitted();
}

void Communicator::State::compare_all_results(OperationList done, Deadline deadline) {
  for (const Operation& operation : done)
    check_results(*session_, operation, tracker_.step(), deadline);
}

void Communicator::State::compare(OperationList admitted, Verb verb, Deadline deadline) {
  for (const Operation& operation : admitted)
    if (compares(operation))
      cross_check(*session_, operation, next_occasion(admitted, verb), std::nullopt, deadline);
}

// What one rank refuses must not leave the others waiting for it.
void Communicator::State::admit_with_all_ranks(Operation& operation, const Occasion& occasion,
                                               Deadline deadline, std::optional<Error> refusal) {
  try {
    admit_alone(operation);
    static_cast<void>(dispatch_.backend_for(operation));
  } catch (const Error& error) {
    if (!refusal) refusal = error;
  }
  cross_check(*session_, operation, occasion, refusal, deadline);
}

Deadline Communicator::State::shortest_deadline(OperationList group) const {
  std::chrono::nanoseconds shortest{0};
  for (const Operation& operation : group) {
    const std::chrono::nanoseconds own =
        operation.timeout.count() >= 0 ? operation.timeout : session_->options().timeout;
    if (own.count() > 0 && (shortest.count() == 0 || own < shortest)) shortest = own;
  }
  return shortest.count() == 0 ? Deadline() : Deadline::in(shortest);
}

void Communicator::State::note_foreign(const std::string& operation) {
  const bool broken = tracker_.was_admitted();
  tracker_.fail(broken);
  if (!broken) return;
  broken_by_ = operation + ": an exception that is not tutti's went through it" + current_words();
  dispatch_.give_up();
  if (Recorder* const recorder = Recorder::opened()) recorder->note_error(broken_by_);
}

void Communicator::State::rethrow(const Error& error, const std::string& operation) {
  const bool late = error.code() == Errc::timeout;
  // MPI says that somebody died, but not who.
  const bool lost = error.code() == Errc::mpi && mpi::leftovers::someone_died();
  if (late || lost) session_->ask_others();
  const Error placed =
      late || error.operation().empty()
          ? Error(error.code(), late || lost ? error.cause() + tracker_.others() : error.cause(),
                  {operation, session_->rank(), session_->size()})
          : error;
  const bool broken = !leaves_whole(error.code()) && !dispatch_.failed_together();
  tracker_.fail(broken);
  if (broken) {
    broken_by_ = placed.what();
    dispatch_.give_up();
    // At once: where the error goes from here may take long, and say less.
    if (late) log(LogLevel::error, placed.what());
    if (Recorder* const recorder = Recorder::opened()) recorder->note_error(placed.what());
  }
  throw placed;
}

}  // namespace tutti
