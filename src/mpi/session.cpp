#include "mpi/session.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <string>
#include <vector>

#include "core/backoff.hpp"
#include "core/text.hpp"
#include "mpi/call.hpp"
#include "mpi/lifetime.hpp"

namespace tutti::mpi {

namespace {

// MPI promises tags up to 32767; the library's own cycle through the top of the range.
constexpr int own_tags = 4096;

Deadline deadline_of(const Options& options) {
  return options.timeout.count() > 0 ? Deadline::in(options.timeout) : Deadline();
}

// So that the duplication, which MPI cannot interrupt, is entered only when all ranks are there.
// Without a deadline too: whether there is one is not agreed yet.
void await_all_ranks(MPI_Comm parent, const Options& options, const char* step) {
  MPI_Request request = MPI_REQUEST_NULL;
  TUTTI_MPI(MPI_Ibarrier(parent, &request));
  if (Session::wait(request, deadline_of(options))) return;
  throw Error(Errc::timeout,
              text(step, "not all ranks had called it after ", options.timeout.count(),
                   " ms (Options::timeout, TUTTI_TIMEOUT)"));
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

using OptionValues = std::array<long long, 8>;
constexpr const char* option_names[] = {"timeout",  "check",     "nccl",          "join",
                                        "fallback", "host_path", "deterministic", "max_count"};

OptionValues values_of(const Options& o) {
  return {o.timeout.count(),
          static_cast<long long>(o.check),
          static_cast<long long>(o.nccl),
          static_cast<long long>(o.join),
          static_cast<long long>(o.fallback),
          static_cast<long long>(o.host_path),
          static_cast<long long>(o.deterministic),
          static_cast<long long>(o.max_count)};
}

}  // namespace

Session::Session(MPI_Comm parent, const Options& options, const std::optional<Error>& failure)
    : options_(options) {
  // Deadlines are counted in nanoseconds.
  using std::chrono::milliseconds;
  options_.timeout =
      std::min(options_.timeout, milliseconds(std::chrono::nanoseconds::max() / milliseconds(1)));
  checked_parent(parent);
  await_all_ranks(parent, options_, "construction: ");
  comm_ = split_quietly(parent, 0, 0);
  try {
    read_facts();
    agree(failure);
    check_equal_options();
  } catch (...) {
    static_cast<void>(MPI_Comm_free(&comm_));
    throw;
  }
}

Session::Session(MPI_Comm owned, const Options& options) : comm_(owned), options_(options) {
  read_facts();
}

std::shared_ptr<Session> Session::split(const Session& parent, int color, int key) {
  await_all_ranks(parent.comm_, parent.options_, "");
  MPI_Comm comm = split_quietly(parent.comm_, color < 0 ? MPI_UNDEFINED : color, key);
  if (comm == MPI_COMM_NULL) return nullptr;
  const std::shared_ptr<Session> session(new Session(comm, parent.options_));
  session->local_rank_ = parent.local_rank_;
  session->local_size_ = parent.local_size_;
  return session;
}

Session::~Session() {
  if (comm_ == MPI_COMM_NULL || left_under_way_ || finalized()) return;
  static_cast<void>(MPI_Comm_free(&comm_));
}

void Session::read_facts() {
  TUTTI_MPI(MPI_Comm_rank(comm_, &rank_));
  TUTTI_MPI(MPI_Comm_size(comm_, &size_));
  TUTTI_MPI(MPI_Query_thread(&thread_level_));

  int* bound = nullptr;
  int found = 0;
  TUTTI_MPI(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &found));
  largest_user_tag_ = (found != 0 ? *bound : 32767) - own_tags;

  MPI_Comm node = MPI_COMM_NULL;
  TUTTI_MPI(MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &node));
  TUTTI_MPI(MPI_Comm_rank(node, &node_rank_));
  TUTTI_MPI(MPI_Comm_size(node, &node_size_));
  TUTTI_MPI(MPI_Comm_free(&node));
  local_rank_ = node_rank_;
  local_size_ = node_size_;
}

int Session::next_tag() noexcept {
  return largest_user_tag_ + 1 + static_cast<int>(tags_used_++ % own_tags);
}

void Session::throw_if_aborted() const {
  if (abort_flag_->aborted.load(std::memory_order_relaxed)) [[unlikely]]
    throw Error(Errc::aborted, "the communicator was aborted");
}

void Session::agree(const std::optional<Error>& failure) const {
  int culprit = failure ? rank_ : INT_MAX;
  TUTTI_MPI(MPI_Allreduce(MPI_IN_PLACE, &culprit, 1, MPI_INT, MPI_MIN, comm_));
  if (culprit == INT_MAX) return;

  int header[2] = {};
  std::string cause;
  if (culprit == rank_) {
    cause = failure->cause();
    header[0] = static_cast<int>(failure->code());
    header[1] = static_cast<int>(cause.size());
  }
  TUTTI_MPI(MPI_Bcast(header, 2, MPI_INT, culprit, comm_));
  cause.resize(static_cast<std::size_t>(header[1]));
  TUTTI_MPI(MPI_Bcast(cause.data(), header[1], MPI_CHAR, culprit, comm_));
  throw Error(static_cast<Errc>(header[0]), text("rank ", culprit, ": ", cause),
              {failure ? failure->operation() : "", rank_, size_});
}

// Ranks that take different ways through an operation would wait for each other for ever.
void Session::check_equal_options() const {
  const OptionValues mine = values_of(options_);
  std::vector<OptionValues> all(static_cast<std::size_t>(size_));
  TUTTI_MPI(MPI_Allgather(mine.data(), static_cast<int>(mine.size()), MPI_LONG_LONG, all.data(),
                          static_cast<int>(mine.size()), MPI_LONG_LONG, comm_));
  for (std::size_t r = 1; r < all.size(); ++r)
    for (std::size_t i = 0; i < mine.size(); ++i)
      if (all[r][i] != all[0][i])
        throw Error(Errc::mismatch,
                    text("construction: Options::", option_names[i],
                         " must be equal on all ranks: ", all[0][i], " on rank 0, ", all[r][i],
                         " on rank ", r, " (TUTTI_ variables included)"),
                    {"", rank_, size_});
}

bool Session::wait(MPI_Request& request, Deadline deadline) {
  Backoff backoff;
  for (int done = 0;;) {
    TUTTI_MPI(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
    if (done != 0) return true;
    if (deadline.passed()) return false;
    backoff.pause();
  }
}

}  // namespace tutti::mpi
