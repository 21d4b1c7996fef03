#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/check.hpp"
#include "core/fork_guard.hpp"
#include "diagnostics/cross_check.hpp"
#include "diagnostics/known_servers.hpp"
#include "diagnostics/result_check.hpp"
#include "diagnostics/tracker.hpp"
#include "dispatch.hpp"
#include "mpi/lifetime.hpp"
#include "mpi/session.hpp"
#include "placing.hpp"
#include "repeated_calls.hpp"
#include "tutti/communicator.hpp"

namespace tutti {

/// The calling thread's id. Without a constructor and in the static block: looked at in every call.
inline int this_thread() noexcept {
  [[gnu::tls_model("initial-exec")]] thread_local int id = 0;
  if (id == 0) [[unlikely]]
    id = static_cast<int>(syscall(SYS_gettid));
  return id;
}

/// What a communicator, its works and its plans share: the one path from a verb to a backend.
class alignas(64) Communicator::State {
 public:
  /// `device`: that of a parent communicator, or none. Collective where NCCL is joined at once.
  State(std::shared_ptr<mpi::Session> session, Device device);

  const std::shared_ptr<mpi::Session>& session() const noexcept { return session_; }
  const Dispatch& dispatch() const noexcept { return dispatch_; }
  Tracker& tracker() noexcept { return tracker_; }

  /// One thread's stay inside the communicator. @throws Error if another one is inside, or if the
  /// communicator is broken, aborted, in a forked child or outlived MPI.
  class Entry {
   public:
    [[gnu::hot]] explicit Entry(State& state) : state_(state) {
      const int me = this_thread();
      state.claim(me);
      if (!state.usable() || me != state.known_thread_) [[unlikely]]
        state.look_closer(me);
    }
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;
    ~Entry() {
      state_.tracker_.leave();
      state_.inside_.store(0, std::memory_order_release);
    }

   private:
    State& state_;
  };

  /// Checks an operation, on this rank and if asked to across ranks, and makes it what backends
  /// take.
  void admit(Operation& operation, Deadline deadline) {
    if (plain(operation)) [[likely]]
      resolve_in_place(operation, session_->rank(), session_->size(), session_->largest_user_tag());
    else
      admit_fully(operation, Verb::run, deadline);
    note_admitted(operation, Verb::run);
  }
  /// The same for a copy of a group, valid until the next call.
  OperationList admit(OperationList group, Verb verb, Deadline deadline);
  /// The same for `enqueue`. @throws Error if NCCL is to be joined while the stream is captured.
  OperationList admit_for_stream(OperationList group, cudaStream_t stream, Deadline deadline);
  void admit_for_stream(Operation& operation, cudaStream_t stream, Deadline deadline) {
    // A barrier, which has no memory, may have to join NCCL.
    if (said_to_be_on_device(operation) && plain(operation)) [[likely]]
      resolve_in_place(operation, session_->rank(), session_->size(), session_->largest_user_tag());
    else
      admit_fully_for_stream(operation, stream, deadline);
    note_admitted(operation, Verb::enqueue);
  }
  /// Enqueues an operation that was enqueued before, if it is known; otherwise nothing is done.
  bool repeat(const Operation& operation, cudaStream_t stream) {
    if (!repeats_) [[unlikely]]
      return false;
    const nccl::SingleCall* const call = repeated_.find(operation);
    return call != nullptr && dispatch_.repeat(*call, stream);
  }
  /// Checks and enqueues an operation, and remembers it for `repeat`.
  [[gnu::noinline]] void enqueue(Operation& operation, cudaStream_t stream);
  /// Nothing refused the call going on.
  void note_admitted(OperationList group, Verb verb) {
    tracker_.admitted();
    if (tracker_.records()) [[unlikely]]
      record_server(group, verb);
  }
  /// On this rank only.
  void admit_alone(Operation& operation);
  /// Compares an admitted group across ranks once more, if asked to: a plan's, each time it is
  /// done.
  void compare(OperationList admitted, Verb verb, Deadline deadline);
  /// The same for `split`.
  void compare_split();
  /// Compares what an admitted group left, if asked to.
  void compare_results(OperationList done, Deadline deadline) {
    if (compares_results_) [[unlikely]]
      compare_all_results(done, deadline);
  }
  Deadline deadline_for(OperationList group) const {
    if (without_deadlines_ && group.size() == 1 && group.front().timeout.count() < 0) [[likely]]
      return {};
    return shortest_deadline(group);
  }

  /// Calls `body`. An Error gets its place; one after data may have moved breaks the communicator,
  /// and so does what a user's function throws.
  template <class Name, class Body>
  auto guarded(const Name& name, Body&& body) -> decltype(body()) {
    try {
      return body();
    } catch (const Error& error) {
      rethrow(error, name());
    } catch (...) {
      note_foreign(name());
      throw;
    }
  }
  template <class Body>
  auto guarded(const Operation& first, Body&& body) -> decltype(body()) {
    return guarded([&] { return describe(first); }, body);
  }
  /// The same for a question, which is no call and moves nothing: whatever `body` throws, the
  /// communicator is as whole as before.
  template <class Body>
  auto asked(const Operation& about, Body&& body) -> decltype(body()) {
    try {
      return body();
    } catch (const Error& error) {
      if (!error.operation().empty()) throw;
      throw Error(error.code(), error.cause(),
                  {describe(about), session_->rank(), session_->size()});
    }
  }

 private:
  /// Nothing but the operation itself is left to check: a few loads on the way of a small
  /// operation. What they are about is found out behind them.
  bool plain(const Operation& operation) const noexcept {
    return admits_plainly_ && !needs_placing(operation, checked_) &&
           (dispatch_.settled() || !said_to_be_on_device(operation));
  }
  [[gnu::noinline]] void record_server(OperationList group, Verb verb);
  void admit_fully_for_stream(Operation& operation, cudaStream_t stream, Deadline deadline);
  void admit_fully(Operation& operation, Verb verb, Deadline deadline);
  void refuse_to_join_while_capturing(cudaStream_t stream) const;
  void compare_all_results(OperationList done, Deadline deadline);
  bool compares(const Operation& operation) const noexcept;
  Occasion next_occasion(OperationList group, Verb verb);
  void admit_with_all_ranks(Operation& operation, const Occasion& occasion, Deadline deadline,
                            std::optional<Error> refusal = std::nullopt);
  void note_foreign(const std::string& operation);
  [[noreturn]] void rethrow(const Error& error, const std::string& operation);
  // Below MPI_THREAD_MULTIPLE the application promises that one thread at a time is inside MPI: a
  // look finds who breaks it, and costs a fifth of a small operation less than an atomic exchange.
  void claim(int thread) {
    int holder = 0;
    if (threads_compete_)
      inside_.compare_exchange_strong(holder, thread, std::memory_order_acquire);
    else if ((holder = inside_.load(std::memory_order_relaxed)) == 0)
      inside_.store(thread, std::memory_order_relaxed);
    if (holder != 0) [[unlikely]]
      refuse_second(thread, holder);
  }
  [[noreturn, gnu::cold]] void refuse_second(int thread, int holder) const;
  bool usable() const noexcept {
    return !mpi::finalized() && broken_by_.empty() && !aborted_->load(std::memory_order_relaxed);
  }
  [[gnu::cold]] void look_closer(int thread);
  [[noreturn, gnu::cold]] void refuse_use() const;
  Deadline shortest_deadline(OperationList group) const;
  void check_thread(int thread);

  // What every call looks at lies together, at the beginning: after the launch of a kernel each
  // cache line is one to fetch.
  std::atomic<int> inside_{0};  // the thread that is inside; 0: none
  int known_thread_ = 0;        // one that MPI's thread level allows
  const std::atomic<bool>* aborted_;
  std::string broken_by_;  // what broke it; empty: whole
  bool threads_compete_;   // MPI_THREAD_MULTIPLE
  bool compares_results_;
  bool without_deadlines_;  // as far as Options::timeout goes
  bool admits_plainly_;     // an operation is checked on this rank, and no more
  bool repeats_;            // nothing but the operation itself decides what `enqueue` comes to
  std::shared_ptr<mpi::Session> session_;
  Tracker tracker_;
  Dispatch dispatch_;
  int forks_ = forks_since_start();
  std::uint64_t sequence_ = 0;
  std::vector<Operation> admitted_;  // kept, so that a small operation allocates nothing
  CheckedMemory checked_;
  RepeatedCalls repeated_;
  KnownServers known_servers_;
};

}  // namespace tutti
