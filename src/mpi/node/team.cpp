#include "mpi/node/team.hpp"

#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <type_traits>

#include "core/text.hpp"
#include "mpi/leftovers.hpp"
#include "mpi/node/caches.hpp"
#include "mpi/node/calibration.hpp"
#include "mpi/node/peer_memory.hpp"
#include "mpi/progress.hpp"

namespace tutti::mpi::node {

namespace {

// Long enough for a rank that is about to come, short against a time slice. The first ones follow
// one another at once: a pause may last longer than what is waited for.
constexpr int looks = 2000;
constexpr int quick_looks = 64;

constexpr std::size_t done_at(std::size_t channel) noexcept {
  return offsetof(Lane, done) + channel * sizeof(std::uint64_t);
}
constexpr Channel::Geometry large(std::size_t flags, std::size_t data, std::size_t done) noexcept {
  return {flags,
          data,
          done,
          Lane::large_slots,
          Lane::fractions,
          Lane::large_bytes,
          Lane::narrow_bytes,
          Lane::large_stride};
}

constexpr Channel::Geometry small_geometry(std::size_t slots) noexcept {
  return {offsetof(Lane, small_flags), offsetof(Lane, small_data), done_at(0),        slots, 1,
          Lane::small_bytes,           Lane::small_bytes,          Lane::small_stride};
}
constexpr Channel::Geometry input_geometry =
    large(offsetof(Lane, input_flags), offsetof(Lane, input_data), done_at(1));
constexpr Channel::Geometry result_geometry =
    large(offsetof(Lane, result_flags), offsetof(Lane, result_data), done_at(2));

void relax() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

bool is_gone(std::int64_t process) noexcept {
  return kill(static_cast<pid_t>(process), 0) != 0 && errno == ESRCH;
}

}  // namespace

Team::Team(std::byte* lanes, int rank, std::vector<int> names,
           std::shared_ptr<detail::AbortFlag> abort_flag)
    : lanes_(lanes),
      abort_flag_(std::move(abort_flag)),
      rank_(rank),
      size_(static_cast<int>(names.size())),
      cache_bytes_(cache_bytes_for_each(size_)),
      small_(lanes, sizeof(Lane), small_geometry(Lane::small_slots)),
      input_(lanes, sizeof(Lane), input_geometry),
      result_(lanes, sizeof(Lane), result_geometry),
      names_(std::move(names)),
      arrays_(names_.size()),
      outs_(names_.size()) {
  Lane& own = lane(rank_);
  own.presence.process = getpid();
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (sched_getaffinity(0, sizeof cores, &cores) == 0)
    std::memcpy(own.cores, &cores, std::min(sizeof cores, sizeof own.cores));
}

void Team::meet() {
  std::uint64_t cores[std::extent_v<decltype(Lane::cores)>] = {};
  for (int r = 0; r < size_; ++r)
    for (std::size_t i = 0; i < std::size(cores); ++i) cores[i] |= lane(r).cores[i];
  int n_cores = 0;
  for (const std::uint64_t word : cores) n_cores += __builtin_popcountll(word);
  yields_ = n_cores < size_;
  if (!yields_) small_ = Channel(lanes_, sizeof(Lane), small_geometry(Lane::small_slots_of_cores));
}

void Team::calibrate() {
  constexpr std::uint64_t steps_between = 1 << 16;
  next_calibration_ = input_.last() + steps_between;
  if (!yields_) caches_apart_ = streaming_reaches_sooner(*this);
}

void Team::await_room(Channel& channel, std::uint64_t done) {
  std::uint64_t least = channel.last();
  for (int r = 0; r < size_; ++r) {
    if (r == rank_) continue;
    const auto& theirs = channel.done(r);
    await_patiently(r, theirs, done);
    least = std::min(least, theirs.load(std::memory_order_acquire));
  }
  channel.known_done = least;
}

void Team::await_patiently(int peer, const std::atomic<std::uint64_t>& word, std::uint64_t least) {
  const auto ready = [&] { return word.load(std::memory_order_acquire) >= least; };
  for (int look = 0; look < looks && !yields_; ++look) {
    if (ready()) return;
    if (look >= quick_looks) relax();
  }
  for (unsigned turn = 0; !ready(); ++turn) {
    look_around(turn);
    sched_yield();
    if (turn % 256 != 255) continue;
    const Lane::GaveUp told = told_by(peer);
    if (!ready()) look_at_peer(peer, told);  // it may have come before it went
  }
}

// Legal programs depend on it: a rank that waits here may hold what another one, which waits in
// MPI, needs before it comes here.
void Team::look_around(unsigned turn) {
  if (turn % 8 == 7) progress::advance_all();
  if (abort_flag_->aborted.load(std::memory_order_relaxed))
    fail(Errc::aborted, "the communicator was aborted");
  if (deadline_.passed()) fail(Errc::timeout, "the deadline passed before the operation was done");
}

void Team::look_at_peer(int peer, Lane::GaveUp told, bool gone) {
  const Lane::Presence& presence = lane(peer).presence;
  const std::uint64_t sequence = presence.sequence.load(std::memory_order_acquire);
  const Signature theirs = presence.signature.load(std::memory_order_relaxed);
  const bool same_moment = presence.sequence.load(std::memory_order_acquire) == sequence;
  // First: a mismatch that made the peer give up is what its own error says too.
  if (sequence == sequence_ && same_moment && theirs != signature_) fail_by_mismatch(peer, theirs);
  if (told != Lane::GaveUp::no) fail_after(peer);
  if (!gone && !is_gone(presence.process)) return;
  leftovers::note_death();
  fail(Errc::broken, text("rank ", name_of(peer), " (process ", presence.process,
                          ") has ended; its last operation was number ", sequence, ", ",
                          describe(theirs), "; this is number ", sequence_));
}

// A peer that gave up inside may have done so because of one that gave up elsewhere.
void Team::fail_after(int peer) {
  std::string cause = words_about(peer);
  for (int r = 0; r < size_; ++r)
    if (r != peer && told_by(r) == Lane::GaveUp::elsewhere) cause += "; " + words_about(r);
  fail(Errc::broken, cause);
}

std::string Team::words_about(int rank) const {
  const Lane::Presence& presence = lane(rank).presence;
  const bool inside = told_by(rank) == Lane::GaveUp::inside;
  const std::uint64_t sequence = presence.sequence.load(std::memory_order_acquire);
  std::string words = text("rank ", name_of(rank), " gave up ");
  if (sequence == 0) return words + "before its first operation in the node's memory";
  words += inside ? "inside" : "outside of the node's memory, after";
  return words + text(" its operation number ", sequence, ", ",
                      describe(presence.signature.load(std::memory_order_relaxed)));
}

bool Team::try_read(int peer, std::uint64_t address, std::byte* to, std::size_t bytes) {
  const bool all = read_process(process_of(peer), address, to, bytes);
  const int code = errno;
  // Who gives up says so before its memory may go: what was read until then is good. A process that
  // nobody has waited for yet has its number still, but no memory.
  const Lane::GaveUp told = told_by(peer);
  if (told != Lane::GaveUp::no || !all) look_at_peer(peer, told, !all && code == ESRCH);
  errno = code;
  return all;
}

void Team::read(int peer, std::uint64_t address, std::byte* to, std::size_t bytes) {
  const bool all = try_read(peer, address, to, bytes);
  const int code = errno;
  if (!all)
    fail(Errc::broken, text("the memory of rank ", name_of(peer), " (process ", process_of(peer),
                            ") could not be read: ", bytes, " bytes at ",
                            reinterpret_cast<const void*>(address), ": ", std::strerror(code)));
}

void Team::give_up(const std::string& cause) {
  failure_ = cause;
  tell(Lane::GaveUp::inside);
}

void Team::fail(Errc code, const std::string& cause) {
  give_up(cause);
  throw Error(code, cause);
}

void Team::fail_by_mismatch(int peer, Signature theirs) {
  fail(Errc::mismatch,
       text("the ranks call different operations: rank ", name_of(peer), " calls ",
            describe(theirs), ", rank ", name_of(rank_), " calls ", describe(signature_)));
}

void Team::refuse() const {
  throw Error(Errc::broken, "the communicator is broken since an earlier failure: " + failure_);
}

}  // namespace tutti::mpi::node
