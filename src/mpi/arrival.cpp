#include "mpi/arrival.hpp"

#include <algorithm>
#include <climits>
#include <map>
#include <memory>
#include <string>

#include "core/backoff.hpp"
#include "core/log.hpp"
#include "core/text.hpp"
#include "mpi/call.hpp"
#include "mpi/leftovers.hpp"
#include "mpi/status_board.hpp"

namespace tutti::mpi {

namespace {

// A rank sends one small message to each other one: beyond that they are too many.
constexpr int most_named = 256;

/// "I am here" of each rank, so that those who wait know who is. Nobody else's way of saying it
/// goes through a rank that may be missing, as in a barrier: a scatter goes from its root at once.
class Roll {
 public:
  explicit Roll(MPI_Comm comm) : Roll() {
    int rank = 0, size = 1;
    TUTTI_MPI(MPI_Comm_rank(comm, &rank));
    TUTTI_MPI(MPI_Comm_size(comm, &size));
    named_ = size <= most_named;
    if (!named_) {
      requests_.resize(1, MPI_REQUEST_NULL);
      TUTTI_MPI(MPI_Ibarrier(comm, requests_.data()));
      return;
    }
    memory_ = std::make_shared<Memory>(size);
    requests_.resize(static_cast<std::size_t>(size), MPI_REQUEST_NULL);
    for (int root = 0; root < size; ++root) {
      char* const heard = &memory_->heard[static_cast<std::size_t>(root)];
      TUTTI_MPI(MPI_Iscatterv(memory_->said.data(), memory_->counts.data(), memory_->places.data(),
                              MPI_CHAR, root == rank ? MPI_IN_PLACE : heard, 1, MPI_CHAR, root,
                              comm, &requests_[static_cast<std::size_t>(root)]));
    }
  }

  Roll(const Roll&) = delete;
  Roll& operator=(const Roll&) = delete;
  /// What is not done, MPI goes on with.
  ~Roll() {
    if (!all_null(requests_)) leftovers::keep(std::move(requests_), std::move(memory_));
  }

  /// Whether all have been heard.
  bool complete() {
    for (; done_ < requests_.size(); ++done_)
      if (!is_done(requests_[done_])) return false;
    return true;
  }

  std::vector<int> silent() {
    std::vector<int> ranks;
    for (std::size_t root = 0; named_ && root < requests_.size(); ++root)
      if (!is_done(requests_[root])) ranks.push_back(static_cast<int>(root));
    return ranks;
  }

 private:
  Roll() = default;

  struct Memory {
    explicit Memory(int size)
        : counts(static_cast<std::size_t>(size), 1),
          places(counts.size()),
          said(counts.size()),
          heard(counts.size()) {
      for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<int>(i);
    }
    std::vector<int> counts, places;
    std::vector<char> said, heard;
  };

  static bool all_null(const std::vector<MPI_Request>& requests) noexcept {
    return std::all_of(requests.begin(), requests.end(),
                       [](MPI_Request request) { return request == MPI_REQUEST_NULL; });
  }

  static bool is_done(MPI_Request& request) {
    int done = 1;
    if (request != MPI_REQUEST_NULL) TUTTI_MPI(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
    return done != 0;
  }

  bool named_ = false;
  std::size_t done_ = 0;
  std::vector<MPI_Request> requests_;
  std::shared_ptr<Memory> memory_;
};

/// The lowest rank that gave up, or nobody, once every rank has come and said whether it did.
class Verdict {
 public:
  Verdict(MPI_Comm comm, bool stays) : lowest_(std::make_shared<int>(nobody)) {
    if (!stays) TUTTI_MPI(MPI_Comm_rank(comm, lowest_.get()));
    TUTTI_MPI(MPI_Iallreduce(MPI_IN_PLACE, lowest_.get(), 1, MPI_INT, MPI_MIN, comm, &request_));
  }
  Verdict(const Verdict&) = delete;
  Verdict& operator=(const Verdict&) = delete;
  ~Verdict() {
    if (request_ != MPI_REQUEST_NULL) leftovers::keep({request_}, std::move(lowest_));
  }

  bool known() {
    int done = 1;
    if (request_ == MPI_REQUEST_NULL) return true;
    TUTTI_MPI(MPI_Test(&request_, &done, MPI_STATUS_IGNORE));
    return done != 0;
  }
  std::optional<int> left() const {
    return *lowest_ == nobody ? std::nullopt : std::optional(*lowest_);
  }

 private:
  static constexpr int nobody = INT_MAX;
  std::shared_ptr<int> lowest_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

/// One rank's waiting.
class Wait {
 public:
  explicit Wait(const Patience& patience) : patience_(patience) {
    if (patience.told_after.count() > 0) telling_ = Deadline::in(patience.told_after);
  }

  /// False if it gave up. `tell` is called once, when the log is to tell.
  template <class Ready, class Tell>
  bool until(const Ready& ready, const Tell& tell) {
    for (Backoff backoff; !ready(); backoff.pause()) {
      if (patience_.abort_flag.aborted.load(std::memory_order_relaxed)) return false;
      if (patience_.deadline.passed()) return false;
      if (patience_.meanwhile) patience_.meanwhile();
      if (!telling_.passed()) continue;
      telling_ = {};
      tell();
    }
    return true;
  }

 private:
  const Patience& patience_;
  Deadline telling_;
};

void tell(MPI_Comm comm, std::chrono::milliseconds waited, const Absence& absence) {
  int size = 1;
  TUTTI_MPI(MPI_Comm_size(comm, &size));
  log(LogLevel::warn, text("a call has not returned for ", waited.count() / 1000,
                           " s (TUTTI_STALL): construction of a communicator of ", size, " ranks",
                           words_about_absent(comm, absence)));
}

}  // namespace

std::optional<Absence> await_all_ranks(MPI_Comm comm, const Patience& patience) {
  Wait wait(patience);
  const auto told = [&](const Absence& absence) { tell(comm, patience.told_after, absence); };
  Roll roll(comm);
  const bool all = wait.until([&] { return roll.complete(); }, [&] { told({roll.silent(), {}}); });
  // Those who come later find everybody on the roll, and must not go on with those who left.
  Verdict verdict(comm, all);
  if (!all) return Absence{roll.silent(), {}};
  if (!wait.until([&] { return verdict.known(); }, [&] { told({}); })) return Absence{};
  if (!verdict.left()) return std::nullopt;
  return Absence{{}, verdict.left()};
}

std::string words_about_absent(MPI_Comm comm, const Absence& absence) {
  std::map<std::string, std::vector<int>> said;
  for (const int rank : absence.silent)
    said["not there" + StatusBoard::words_about(comm, rank)].push_back(rank);
  if (absence.left) said["gave up before this rank came"].push_back(*absence.left);
  std::string words;
  for (const auto& [what, ranks] : said) words += line_about(ranks, what);
  return words;
}

}  // namespace tutti::mpi
