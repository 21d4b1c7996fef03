#include "tutti/work.hpp"

#include <algorithm>

#include "core/log.hpp"
#include "core/text.hpp"
#include "mpi/lifetime.hpp"
#include "work_state.hpp"

namespace tutti {

namespace {

[[noreturn]] void throw_timeout() {
  throw Error(Errc::timeout, "the deadline passed before the operation was done");
}

}  // namespace

void Work::State::wait() {
  const Communicator::State::Entry entry(*owner_);
  owner_->tracker().resume(ticket_);
  owner_->guarded(first_, [&] {
    if (!task_->wait(deadline_)) throw_timeout();
  });
}

bool Work::State::wait_until(Deadline limit) {
  const Communicator::State::Entry entry(*owner_);
  owner_->tracker().resume(ticket_);
  return owner_->guarded(first_, [&] {
    const bool limit_first = !deadline_.set() || limit.earlier_than(deadline_);
    if (task_->wait(limit_first ? limit : deadline_)) return true;
    if (!limit_first) throw_timeout();
    keep_ticket();
    return false;
  });
}

bool Work::State::test() {
  const Communicator::State::Entry entry(*owner_);
  owner_->tracker().resume(ticket_);
  return owner_->guarded(first_, [&] {
    if (task_->test()) return true;
    if (deadline_.passed()) throw_timeout();
    keep_ticket();
    return false;
  });
}

void Work::State::join(cudaStream_t stream) {
  const Communicator::State::Entry entry(*owner_);
  owner_->tracker().resume(ticket_);
  owner_->guarded(first_, [&] {
    if (!task_->join(stream, deadline_)) throw_timeout();
    keep_ticket();
  });
}

Work::Work() noexcept = default;
Work::Work(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
Work::Work(Work&&) noexcept = default;

Work& Work::operator=(Work&& other) noexcept {
  if (this != &other) {
    const Work finished(std::move(*this));  // waits, in its destructor
    state_ = std::move(other.state_);
  }
  return *this;
}

Work::~Work() {
  if (state_ == nullptr || mpi::finalized()) return;
  try {
    state_->wait();
  } catch (const std::exception& error) {
    log(LogLevel::error,
        text("a Work that was destroyed before it was done failed: ", error.what()));
  } catch (...) {  // of a user's reduction
    log(LogLevel::error, "a Work that was destroyed before it was done failed");
  }
}

// A failed work is over too: it must not be waited for again when it is destroyed. A call that was
// refused, because another thread is inside, says nothing about the work.
template <class Call>
bool Work::finish(Call&& call) {
  if (state_ == nullptr) return true;
  try {
    if (!call(*state_)) return false;
  } catch (const Error& error) {
    if (error.code() != Errc::invalid_argument) state_.reset();
    throw;
  } catch (...) {
    state_.reset();
    throw;
  }
  state_.reset();
  return true;
}

void Work::wait() {
  finish([](State& state) { return state.wait(), true; });
}

bool Work::wait_for(std::chrono::nanoseconds duration) {
  return finish([&](State& state) { return state.wait_until(Deadline::in(duration)); });
}

bool Work::test() {
  return finish([](State& state) { return state.test(); });
}

void Work::join(cudaStream_t stream) {
  if (state_ != nullptr) state_->join(stream);
}

Plan::Plan() noexcept = default;
Plan::Plan(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
Plan::Plan(Plan&&) noexcept = default;
Plan& Plan::operator=(Plan&&) noexcept = default;
Plan::~Plan() = default;

void Plan::run() {
  if (state_ == nullptr)
    throw Error(Errc::invalid_argument, "the plan is empty: default-made or moved from");
  Communicator::State& owner = *state_->owner;
  const Communicator::State::Entry entry(owner);
  owner.tracker().begin(state_->list(), Verb::run);
  owner.guarded(state_->list().front(), [&] {
    const Deadline deadline = owner.deadline_for(state_->list());
    owner.compare(state_->list(), Verb::run, deadline);
    owner.note_admitted(state_->list(), Verb::run);
    state_->task().run(deadline);
    owner.compare_results(state_->list(), deadline);
  });
}

void Plan::enqueue(cudaStream_t stream) {
  if (state_ == nullptr)
    throw Error(Errc::invalid_argument, "the plan is empty: default-made or moved from");
  Communicator::State& owner = *state_->owner;
  const Communicator::State::Entry entry(owner);
  owner.tracker().begin(state_->list(), Verb::enqueue);
  owner.guarded(state_->list().front(), [&] {
    const Deadline deadline = owner.deadline_for(state_->list());
    owner.compare(state_->list(), Verb::enqueue, deadline);
    owner.note_admitted(state_->list(), Verb::enqueue);
    state_->task().enqueue(stream, deadline);
  });
}

Work Plan::start() {
  if (state_ == nullptr)
    throw Error(Errc::invalid_argument, "the plan is empty: default-made or moved from");
  Communicator::State& owner = *state_->owner;
  const Communicator::State::Entry entry(owner);
  owner.tracker().begin(state_->list(), Verb::start);
  return owner.guarded(state_->list().front(), [&] {
    const Deadline deadline = owner.deadline_for(state_->list());
    owner.compare(state_->list(), Verb::start, deadline);
    owner.note_admitted(state_->list(), Verb::start);
    state_->task().start();
    auto work = std::make_unique<Work::State>(state_->owner, state_->list().front(), deadline,
                                              state_->shared_task());
    work->keep_ticket();
    return Work(std::move(work));
  });
}

}  // namespace tutti
