#include "tutti/communicator.hpp"

#include <atomic>
#include <climits>
#include <cstdlib>
#include <optional>

#include "communicator_state.hpp"
#include "core/abort_flag.hpp"
#include "core/log.hpp"
#include "core/text.hpp"
#include "core/variables.hpp"
#include "diagnostics/recorder.hpp"
#include "mpi/bootstrap.hpp"
#include "mpi/call.hpp"
#include "mpi/lifetime.hpp"
#include "work_state.hpp"

namespace tutti {

namespace {

void check_options(const Options& options) {
  if (options.max_count == 0 || options.max_count > INT_MAX)
    throw Error(Errc::invalid_argument,
                text("construction: Options::max_count is ", options.max_count,
                     "; it must be within 1 and ", INT_MAX));
  if (options.timeout.count() < 0)
    throw Error(Errc::invalid_argument, text("construction: Options::timeout is ",
                                             options.timeout.count(), " ms, below zero"));
}

// Once a process; by one rank, because all of a job usually share their environment.
void tell_unknown_variables(int rank) {
  static std::atomic<bool> told{false};
  if (told.exchange(true) || rank != 0) return;
  for (const std::string& name : unknown_variables())
    log(LogLevel::warn,
        "the environment variable " + printable(name, 80) + " is not one that tutti knows");
}

void open_recorder() {
  mpi::require_running();
  int rank = 0, size = 1, level = MPI_THREAD_SINGLE;
  TUTTI_MPI(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  TUTTI_MPI(MPI_Comm_size(MPI_COMM_WORLD, &size));
  TUTTI_MPI(MPI_Query_thread(&level));
  static_cast<void>(Recorder::instance(rank, size, level == MPI_THREAD_MULTIPLE));
}

// At once: where the error goes from here may take long, and say less.
void tell_lateness(const Error& error) {
  log(LogLevel::error, error.what());
  if (Recorder* const recorder = Recorder::opened()) recorder->note_error(error.what());
}

std::shared_ptr<mpi::Session> make_session(MPI_Comm comm, const Options& given) {
  // What fails on this rank alone must not leave the others waiting for it.
  std::optional<Error> failure;
  // Not assigned to a copy of `given`: GCC 12 drops that copy, although the call may throw.
  std::optional<Options> read;
  try {
    read.emplace(with_environment(given));
    check_options(*read);
    open_recorder();
  } catch (const Error& error) {
    failure = error;
  }
  try {
    auto session = std::make_shared<mpi::Session>(comm, failure ? given : *read, failure);
    tell_unknown_variables(session->rank());
    return session;
  } catch (const Error& error) {
    if (error.code() == Errc::timeout) tell_lateness(error);
    throw;
  }
}

[[noreturn, gnu::cold, gnu::noinline]] void refuse_empty() {
  throw Error(Errc::invalid_argument,
              "the communicator is empty: default-made, moved from, or of a rank without colour");
}

}  // namespace

void AbortHandle::abort() noexcept {
  if (flag_ != nullptr) flag_->aborted.store(true, std::memory_order_relaxed);
}

bool AbortHandle::aborted() const noexcept {
  return flag_ != nullptr && flag_->aborted.load(std::memory_order_relaxed);
}

Communicator::Communicator() noexcept = default;
Communicator::Communicator(MPI_Comm comm, const Options& options)
    : state_(std::make_shared<State>(make_session(comm, options), Device())) {}
Communicator::Communicator(std::shared_ptr<State> state) noexcept : state_(std::move(state)) {}
Communicator::Communicator(Communicator&&) noexcept = default;
Communicator& Communicator::operator=(Communicator&&) noexcept = default;
Communicator::~Communicator() = default;

Communicator::State& Communicator::state() const {
  if (state_ == nullptr) [[unlikely]]
    refuse_empty();
  return *state_;
}

int Communicator::rank() const {
  return state().session()->rank();
}
int Communicator::size() const {
  return state().session()->size();
}
int Communicator::node_rank() const {
  return state().session()->node_rank();
}
int Communicator::node_size() const {
  return state().session()->node_size();
}
MPI_Comm Communicator::mpi() const {
  return state().session()->comm();
}
const Options& Communicator::options() const {
  return state().session()->options();
}

Communicator Communicator::split(int color, int key) const {
  const State::Entry entry(state());
  state_->tracker().begin_split();
  auto session = state_->guarded([] { return std::string("split"); },
                                 [&] {
                                   state_->compare_split();
                                   return mpi::Session::split(*state_->session(), color, key);
                                 });
  return session == nullptr ? Communicator()
                            : Communicator(std::make_shared<State>(
                                  std::move(session), state_->dispatch().chosen_device()));
}

Communicator Communicator::duplicate() const {
  return split(0, rank());
}

void Communicator::run(Operation&& operation) const {
  State& s = state();
  const State::Entry entry(s);
  s.tracker().begin(operation, Verb::run);
  s.guarded(operation, [&] {
    const Deadline deadline = s.deadline_for(operation);
    s.admit(operation, deadline);
    s.dispatch().run(operation, deadline);
    s.compare_results(operation, deadline);
  });
}

void Communicator::run(OperationList group) const {
  State& s = state();
  const State::Entry entry(s);
  if (group.size() == 0) return;
  s.tracker().begin(group, Verb::run);
  s.guarded(group.front(), [&] {
    const Deadline deadline = s.deadline_for(group);
    const OperationList admitted = s.admit(group, Verb::run, deadline);
    s.dispatch().run(admitted, deadline);
    s.compare_results(admitted, deadline);
  });
}

Plan Communicator::plan(OperationList group) const {
  State& s = state();
  const State::Entry entry(s);
  if (group.size() == 0) throw Error(Errc::invalid_argument, "a plan needs an operation");
  s.tracker().begin(group, Verb::plan);
  return s.guarded(group.front(), [&] {
    const OperationList admitted = s.admit(group, Verb::plan, s.deadline_for(group));
    return Plan(std::make_unique<Plan::State>(state_, admitted));
  });
}

Work Communicator::start(OperationList group) const {
  State& s = state();
  const State::Entry entry(s);
  if (group.size() == 0) return {};
  s.tracker().begin(group, Verb::start);
  return s.guarded(group.front(), [&] {
    const Deadline deadline = s.deadline_for(group);
    const OperationList admitted = s.admit(group, Verb::start, deadline);
    auto work = std::make_unique<Work::State>(state_, admitted, deadline);
    work->task().start();
    work->keep_ticket();
    return Work(std::move(work));
  });
}

// Hot, with what it calls: they lie together, so that little is fetched after the launch of a
// kernel, which leaves the processor's caches full of the driver's code.
[[gnu::hot]] void Communicator::enqueue(Operation&& operation, cudaStream_t stream) const {
  State& s = state();
  const State::Entry entry(s);
  s.tracker().begin(operation, Verb::enqueue);
  s.guarded(operation, [&] {
    if (s.repeat(operation, stream)) [[likely]]
      return;
    s.enqueue(operation, stream);
  });
}

void Communicator::enqueue(OperationList group, cudaStream_t stream) const {
  State& s = state();
  const State::Entry entry(s);
  if (group.size() == 0) return;
  s.tracker().begin(group, Verb::enqueue);
  s.guarded(group.front(), [&] {
    const Deadline deadline = s.deadline_for(group);
    const OperationList resolved = s.admit_for_stream(group, stream, deadline);
    s.dispatch().enqueue(resolved, stream, deadline);
  });
}

Device Communicator::device() const {
  return state().dispatch().device();
}

std::shared_ptr<void> Communicator::register_memory(void* memory, std::size_t bytes) const {
  return state().dispatch().nccl().register_memory(memory, bytes);
}

std::shared_ptr<void> Communicator::register_window(void* memory, std::size_t bytes) const {
  State& s = state();
  const State::Entry entry(s);
  s.tracker().begin_window(bytes);
  return s.guarded([bytes] { return text("window of ", bytes, " bytes"); },
                   [&] { return s.dispatch().register_window(memory, bytes); });
}

nccl::Window::Window(const Communicator& communicator, void* memory, std::size_t bytes)
    : token_(communicator.register_window(memory, bytes)) {}

std::shared_ptr<Bootstrap> Communicator::make_bootstrap() const {
  return std::make_shared<mpi::MpiBootstrap>(state().session());
}

ncclComm* nccl::handle_of(const Communicator& communicator) {
  return communicator.state().dispatch().nccl().raw_handle();
}

Choice Communicator::choose(const Operation& operation) const {
  State& s = state();
  const State::Entry entry(s);
  return s.asked(operation, [&] {
    Operation copy = operation;
    s.admit_alone(copy);
    return s.dispatch().choose(copy);
  });
}

std::string Communicator::explain(const Operation& operation) const {
  const Choice choice = choose(operation);
  std::string words = describe(operation) + ": " + choice.backend + ", " + choice.algorithm;
  if (!choice.reason.empty()) words += "; " + choice.reason;
  return words;
}

AbortHandle Communicator::abort_handle() const {
  AbortHandle handle;
  handle.flag_ = state().session()->abort_flag();
  return handle;
}

void Communicator::abort() const noexcept {
  if (state_ != nullptr)
    state_->session()->abort_flag()->aborted.store(true, std::memory_order_relaxed);
}

void end_job(int status, std::string_view why) {
  log(LogLevel::error, why);
  if (!mpi::finalized()) static_cast<void>(MPI_Abort(MPI_COMM_WORLD, status));
  std::_Exit(status);
}

}  // namespace tutti
