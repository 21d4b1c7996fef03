#include "mpi/session.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <climits>
#include <string>
#include <vector>

#include "core/backoff.hpp"
#include "core/sight.hpp"
#include "core/text.hpp"
#include "core/variables.hpp"
#include "mpi/arrival.hpp"
#include "mpi/call.hpp"
#include "mpi/leftovers.hpp"
#include "mpi/lifetime.hpp"

namespace tutti::mpi {

namespace {

// MPI promises tags up to 32767; the library's own cycle through the top of the range, below them
// is that of inquiries.
constexpr int own_tags = 4096;

Deadline deadline_of(const Options& options) {
  return options.timeout.count() > 0 ? Deadline::in(options.timeout) : Deadline();
}

std::string words_about(MPI_Comm parent, const Absence& absence, const Options& options) {
  const std::string who = words_about_absent(parent, absence);
  if (absence.left) return text("construction: other ranks had given up when this one came", who);
  // Where nobody is named, the last ones came in that moment, or there are too many to name.
  return text("construction: not all ranks had ", who.empty() ? "come and said so" : "called it",
              " after ", options.timeout.count(), " ms (Options::timeout, TUTTI_TIMEOUT)", who);
}

MPI_Comm split_quietly(MPI_Comm parent, int color, int key) {
  // Unlike MPI_Comm_dup, a split leaves the application's attributes and their callbacks alone.
  MPI_Comm comm = MPI_COMM_NULL;
  TUTTI_MPI(MPI_Comm_split(parent, color, key, &comm));
  if (comm != MPI_COMM_NULL) TUTTI_MPI(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
  return comm;
}

MPI_Comm checked_parent(MPI_Comm parent) {
  require_running();
  if (parent == MPI_COMM_NULL)
    throw Error(Errc::invalid_argument,
                "construction: the communicator is MPI_COMM_NULL; a rank without one makes no "
                "tutti::Communicator");
  int is_inter = 0;
  TUTTI_MPI(MPI_Comm_test_inter(parent, &is_inter));
  if (is_inter != 0)
    throw Error(Errc::invalid_argument,
                "construction: the communicator is an intercommunicator; tutti works on "
                "intracommunicators (MPI_Intercomm_merge makes one)");
  return parent;
}

}  // namespace

Session::Session(MPI_Comm parent, const Options& options, const std::optional<Error>& failure)
    : options_(options) {
  // Deadlines are counted in nanoseconds.
  using std::chrono::milliseconds;
  options_.timeout =
      std::min(options_.timeout, milliseconds(std::chrono::nanoseconds::max() / milliseconds(1)));
  checked_parent(parent);
  TUTTI_MPI(MPI_Comm_rank(parent, &rank_));
  TUTTI_MPI(MPI_Comm_size(parent, &size_));
  try {
    meet_all_ranks(parent, failure ? milliseconds(0) : stall_time_from_environment());
    comm_ = split_quietly(parent, 0, 0);
    free_if_failing([&] { agree_on_everything(failure); });
  } catch (const Error& error) {
    if (error.rank() >= 0) throw;
    throw Error(error.code(), error.cause(), {error.operation(), rank_, size_});
  }
}

// So that the duplication, which MPI cannot interrupt, is entered only when all ranks are there.
// Without a deadline too: whether there is one is not agreed yet.
void Session::meet_all_ranks(MPI_Comm parent, std::chrono::milliseconds told_after) {
  const auto absence = await_all_ranks(parent, {deadline_of(options_), *abort_flag_, told_after});
  if (!absence) return;
  leftovers::wait_at_least(options_.timeout);
  throw Error(Errc::timeout, words_about(parent, *absence, options_));
}

// Options first: ranks that differ in them could not go through the rest together.
void Session::agree_on_everything(const std::optional<Error>& failure) {
  std::optional<Error> or_tuning = failure;
  const std::string tuning = tuning_text(or_tuning);
  agree(or_tuning, deadline_of(options_));
  check_equal_options(deadline_of(options_));
  share_tuning(tuning, deadline_of(options_));
  read_facts();
}

Session::Session(MPI_Comm owned, const Options& options) : comm_(owned), options_(options) {
  free_if_failing([&] { read_facts(); });
}

template <class Body>
void Session::free_if_failing(Body&& body) {
  try {
    body();
  } catch (...) {
    release();
    throw;
  }
}

std::shared_ptr<Session> Session::split(Session& parent, int color, int key) {
  const auto absence =
      await_all_ranks(parent.comm_, {deadline_of(parent.options_), *parent.abort_flag_,
                                     std::chrono::milliseconds(0), [&] { parent.serve(); }});
  if (absence) {
    parent.left_under_way_ = true;
    leftovers::wait_at_least(parent.patience());
    parent.throw_if_aborted();
    throw Error(Errc::timeout, absence->left
                                   ? "other ranks had given up when this one came"
                                   : "not all ranks had called it when the deadline passed");
  }
  MPI_Comm comm = split_quietly(parent.comm_, color < 0 ? MPI_UNDEFINED : color, key);
  if (comm == MPI_COMM_NULL) return nullptr;
  const std::shared_ptr<Session> session(new Session(comm, parent.options_));
  session->local_rank_ = parent.local_rank_;
  session->local_size_ = parent.local_size_;
  session->tuning_ = parent.tuning_;
  return session;
}

Session::~Session() {
  release();
}

void Session::release() noexcept {
  if (left_under_way_ && board_ != nullptr) leftovers::keep(std::move(board_), size_);
  if (comm_ == MPI_COMM_NULL || left_under_way_ || finalized()) return;
  static_cast<void>(MPI_Comm_free(&comm_));
}

// Of one operation that had a deadline where the communicator has none, nobody knows how long.
std::chrono::milliseconds Session::patience() const noexcept {
  constexpr std::chrono::seconds usual(5);
  return options_.timeout.count() > 0 ? options_.timeout : usual;
}

void Session::leave_under_way(std::vector<MPI_Request> requests,
                              std::shared_ptr<void> memory) noexcept {
  left_under_way_ = true;
  leftovers::keep(std::move(requests), std::move(memory));
  leftovers::wait_at_least(patience());
}

void Session::finish(MPI_Request request, std::shared_ptr<void> memory, Deadline deadline,
                     const char* late) {
  try {
    if (abortable_wait(request, deadline)) return;
  } catch (const Error& error) {
    if (error.code() == Errc::aborted) leave_under_way({request}, std::move(memory));
    throw;
  }
  leave_under_way({request}, std::move(memory));
  throw Error(Errc::timeout, late);
}

// Another rank may be on its way here in an operation that needs this one's part in MPI.
void Session::await_words(std::uint64_t turn, Deadline deadline, const char* late) {
  constexpr int looks_between = 64;
  Backoff backoff;
  for (int looks = 1; !board_->all_put(turn); ++looks, backoff.pause()) {
    if (looks % looks_between != 0) continue;
    if (const Status* const missing = board_->missing_for_good(turn)) {
      const Sight sight = sight_of(*missing);
      throw Error(Errc::broken, text("rank ", sight.rank, " gave up; ", last_call(sight)));
    }
    if (deadline.passed() || abort_flag_->aborted.load(std::memory_order_relaxed)) {
      left_under_way_ = true;
      leftovers::keep_exchange();
      leftovers::wait_at_least(patience());
      throw_if_aborted();
      throw Error(Errc::timeout, late);
    }
    int found = 0;
    TUTTI_MPI(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &found, MPI_STATUS_IGNORE));
    serve();
  }
}

bool Session::abortable_wait(MPI_Request& request, Deadline deadline) {
  Backoff backoff;
  for (int done = 0;;) {
    TUTTI_MPI(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
    if (done != 0) return true;
    throw_if_aborted();
    if (deadline.passed()) return false;
    serve();
    backoff.pause();
  }
}

void Session::read_facts() {
  TUTTI_MPI(MPI_Comm_rank(comm_, &rank_));
  TUTTI_MPI(MPI_Comm_size(comm_, &size_));
  TUTTI_MPI(MPI_Query_thread(&thread_level_));

  int* bound = nullptr;
  int found = 0;
  TUTTI_MPI(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &found));
  largest_user_tag_ = (found != 0 ? *bound : 32767) - own_tags - 1;

  agree_on_id();

  MPI_Comm machine = MPI_COMM_NULL;
  TUTTI_MPI(MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &machine));
  TUTTI_MPI(MPI_Comm_rank(machine, &node_rank_));
  TUTTI_MPI(MPI_Comm_size(machine, &node_size_));
  local_rank_ = node_rank_;
  local_size_ = node_size_;
  share_board(machine);
}

void Session::agree_on_id() {
  static std::atomic<std::uint32_t> made{0};
  if (rank_ == 0) {
    int world_rank = 0;
    TUTTI_MPI(MPI_Comm_rank(MPI_COMM_WORLD, &world_rank));
    id_ = (static_cast<std::uint64_t>(world_rank) << 32U) | ++made;
  }
  TUTTI_MPI(MPI_Bcast(&id_, 1, MPI_UINT64_T, 0, comm_));
}

std::string Session::id_text() const {
  return text(id_ >> 32U, '.', id_ & 0xffffffffU);
}

int Session::next_tag() noexcept {
  return largest_user_tag_ + 2 + static_cast<int>(tags_used_++ % own_tags);
}

void Session::throw_if_aborted() const {
  if (abort_flag_->aborted.load(std::memory_order_relaxed)) [[unlikely]]
    throw Error(Errc::aborted, "the communicator was aborted");
}

void Session::agree(const std::optional<Error>& failure, Deadline deadline) {
  constexpr const char* late = "not all ranks had agreed on the outcome when the deadline passed";
  const auto culprit = std::make_shared<int>(failure ? rank_ : INT_MAX);
  MPI_Request request = MPI_REQUEST_NULL;
  TUTTI_MPI(MPI_Iallreduce(MPI_IN_PLACE, culprit.get(), 1, MPI_INT, MPI_MIN, comm_, &request));
  finish(request, culprit, deadline, late);
  if (*culprit == INT_MAX) return;

  const auto header = std::make_shared<std::array<int, 2>>();
  const auto cause = std::make_shared<std::string>();
  if (*culprit == rank_) {
    *cause = failure->cause();
    *header = {static_cast<int>(failure->code()), static_cast<int>(cause->size())};
  }
  TUTTI_MPI(MPI_Ibcast(header->data(), 2, MPI_INT, *culprit, comm_, &request));
  finish(request, header, deadline, late);
  cause->resize(static_cast<std::size_t>((*header)[1]));
  TUTTI_MPI(MPI_Ibcast(cause->data(), (*header)[1], MPI_CHAR, *culprit, comm_, &request));
  finish(request, cause, deadline, late);
  throw Error(static_cast<Errc>((*header)[0]), text("rank ", *culprit, ": ", *cause),
              {failure ? failure->operation() : "", rank_, size_});
}

}  // namespace tutti::mpi
