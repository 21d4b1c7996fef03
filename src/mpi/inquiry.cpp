#include "mpi/inquiry.hpp"

#include <algorithm>
#include <memory>

#include "core/backoff.hpp"
#include "mpi/call.hpp"
#include "mpi/leftovers.hpp"
#include "tutti/error.hpp"

namespace tutti::mpi {

namespace {

// The first words of a message say which it is.
constexpr std::uint64_t question = 1;
constexpr std::uint64_t answer = 2;

bool waits_with(const Sight& other, const Sight& own) noexcept {
  return other.state == Status::State::inside && other.step == own.step &&
         other.process_state == ProcessState::running;
}

}  // namespace

Inquiry::Inquiry(MPI_Comm comm, int tag, const StatusBoard& board, std::function<bool(int)> beside)
    : comm_(comm), tag_(tag), board_(board), beside_(std::move(beside)) {}

std::vector<int> Inquiry::ranks_elsewhere() const {
  int size = 0;
  TUTTI_MPI(MPI_Comm_size(comm_, &size));
  std::vector<bool> shown(static_cast<std::size_t>(size));
  for (const Status& status : board_.all())
    if (status.process.load(std::memory_order_acquire) != 0)
      shown[static_cast<std::size_t>(status.rank.load(std::memory_order_relaxed))] = true;
  std::vector<int> ranks;
  for (int rank = 0; rank < size; ++rank)
    if (!shown[static_cast<std::size_t>(rank)] || !beside_(rank)) ranks.push_back(rank);
  return ranks;
}

void Inquiry::serve() {
  for (;;) {
    int found = 0, words = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    TUTTI_MPI(MPI_Improbe(MPI_ANY_SOURCE, tag_, comm_, &found, &message, &status));
    if (found == 0) return;
    TUTTI_MPI(MPI_Get_count(&status, MPI_UINT64_T, &words));
    Message received(static_cast<std::size_t>(words) / std::tuple_size_v<SightWords>);
    TUTTI_MPI(MPI_Mrecv(received.data(), words, MPI_UINT64_T, &message, &status));
    take(received);
    if (received.front()[0] != question) continue;
    Message told = report();
    told.front()[0] = answer;
    tell(status.MPI_SOURCE, std::move(told));
  }
}

void Inquiry::ask(std::chrono::milliseconds patience) {
  Message told = look_around();
  told.front()[0] = question;
  const std::vector<int> elsewhere = ranks_elsewhere();
  for (const int rank : elsewhere) try_to_tell(rank, told);
  const Deadline deadline = Deadline::in(patience);
  const auto is_certain = [&](int rank) { return certain_.count(rank) > 0; };
  for (Backoff backoff; !deadline.passed(); backoff.pause()) {
    serve();
    if (std::all_of(elsewhere.begin(), elsewhere.end(), is_certain)) return;
  }
}

// This rank, and those of its node that do not wait as it does: these cannot speak for themselves.
Inquiry::Message Inquiry::look_around() const {
  const Sight own = sight_of(board_.own());
  Message message{{}, to_words(own)};
  for (const Status& status : board_.all()) {
    if (!beside_(status.rank.load(std::memory_order_relaxed))) continue;
    const Sight sight = sight_of(status);
    if (sight.process == 0 || sight.rank == own.rank || waits_with(sight, own)) continue;
    if (message.size() <= most_sights) message.push_back(to_words(sight));
  }
  return message;
}

// Many may ask at the same moment.
const Inquiry::Message& Inquiry::report() {
  constexpr std::chrono::milliseconds fresh(20);
  if (report_.empty() || report_is_old_.passed()) {
    report_ = look_around();
    report_is_old_ = Deadline::in(fresh);
  }
  return report_;
}

void Inquiry::tell(int rank, Message message) const {
  const auto words = std::make_shared<Message>(std::move(message));
  MPI_Request request = MPI_REQUEST_NULL;
  TUTTI_MPI(MPI_Isend(words->data(),
                      static_cast<int>(words->size() * std::tuple_size_v<SightWords>), MPI_UINT64_T,
                      rank, tag_, comm_, &request));
  leftovers::keep({request}, words);
}

// One that died must not keep the others from being asked.
void Inquiry::try_to_tell(int rank, const Message& message) const try {
  tell(rank, message);
} catch (const Error&) {
}

void Inquiry::take(const Message& message) {
  for (std::size_t i = 1; i < message.size(); ++i) {
    Sight sight = from_words(message[i]);
    const bool gives_up = i == 1 && message.front()[0] == question;
    if (gives_up) sight.state = Status::State::failed;
    heard_[sight.rank] = sight;
    // What others saw of a rank before this one asked may have changed since; that it gave up has
    // not.
    if (gives_up || message.front()[0] == answer) certain_.insert(sight.rank);
  }
}

}  // namespace tutti::mpi
