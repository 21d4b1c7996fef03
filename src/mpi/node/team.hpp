#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/abort_flag.hpp"
#include "mpi/node/channel.hpp"
#include "tutti/backend.hpp"
#include "tutti/error.hpp"

namespace tutti::mpi::node {

/// The ranks of a node and the memory they share: how one of them hands data to the others and
/// waits for theirs. Ranks are those of the node. What moves is in movement.hpp and reduction.hpp.
///
/// A slot may be written again once every rank has said that it has read it, so that nobody waits
/// at the end of an operation: a writer is a few slots ahead of the slowest reader at most.
class Team {
 public:
  /// `lanes`: zeroed memory of `bytes_for_each` bytes for each rank, shared by all of them, which
  /// outlives the team. `names`: what messages call the ranks.
  Team(std::byte* lanes, int rank, std::vector<int> names,
       std::shared_ptr<detail::AbortFlag> abort_flag);
  static constexpr std::size_t bytes_for_each = sizeof(Lane);
  /// To be called once every rank is known to have its team.
  void meet();

  int rank() const noexcept { return rank_; }
  int size() const noexcept { return size_; }
  std::size_t n() const noexcept { return static_cast<std::size_t>(size_); }
  std::size_t others() const noexcept { return n() - 1; }

  Channel& small() noexcept { return small_; }
  Channel& input() noexcept { return input_; }
  Channel& result() noexcept { return result_; }

  /// Begins an operation. @throws Error (broken) after one that failed.
  void enter(Signature signature, Deadline deadline) {
    if (!failure_.empty()) [[unlikely]]
      refuse();
    deadline_ = deadline;
    signature_ = signature;
    Lane::Presence& presence = lane(rank_).presence;
    presence.signature.store(signature, std::memory_order_relaxed);
    presence.sequence.store(++sequence_, std::memory_order_release);
  }

  /// Ends an operation that failed elsewhere than here: others find that this rank left it.
  void give_up(const std::string& cause);
  /// The same, unless it has given up already.
  void leave_failed(const std::string& cause) {
    if (failure_.empty()) give_up(cause);
  }
  /// The communicator broke outside of this memory: who waits here for this rank is told.
  void leave_broken() noexcept {
    if (failure_.empty()) tell(Lane::GaveUp::elsewhere);
  }

  /// Waits until this rank's slot of `step` may be written.
  void make_room(Channel& channel, std::uint64_t step) {
    const std::uint64_t done = channel.last_before(step);
    if (done > channel.known_done) [[unlikely]]
      await_room(channel, done);
  }
  /// What this rank wrote into the slot is there for all.
  void publish(Channel& channel, std::uint64_t step) noexcept {
    Flag& flag = channel.flag(rank_, step);
    flag.signature = signature_;
    flag.step.store(step, std::memory_order_release);
    if (channel.known_done >= channel.last_before(step + 1))
      claim_line(&channel.flag(rank_, step + 1));
  }
  /// Waits for what `peer` publishes at `step`, and returns whether the peer is ahead.
  /// @throws Error (timeout, mismatch, aborted, broken)
  bool await(Channel& channel, int peer, std::uint64_t step) {
    const Flag& flag = channel.flag(peer, step);
    const bool ahead = flag.step.load(std::memory_order_acquire) == step;
    if (ahead)
      fetch_line(&channel.flag(peer, step + 1));  // which the peer wrote too
    else
      await_patiently(peer, flag.step, step);
    if (flag.signature != signature_) [[unlikely]]
      fail_by_mismatch(peer, flag.signature);
    return ahead;
  }
  /// In a row of like messages: the lines of this rank's slot of `step` will be written, those of
  /// `peer`'s have been.
  void expect_to_write(const Channel& channel, std::uint64_t step, std::size_t bytes) noexcept {
    if (channel.known_done < channel.last_before(step)) return;  // somebody may be reading it
    const std::byte* const slot = channel.data(rank_, step);
    for (std::size_t i = 0; i < lines_ahead(bytes); ++i) claim_line(slot + i * line_bytes);
  }
  void expect_to_read(const Channel& channel, int peer, std::uint64_t step,
                      std::size_t bytes) noexcept {
    const std::byte* const slot = channel.data(peer, step);
    for (std::size_t i = 0; i < lines_ahead(bytes); ++i) fetch_line(slot + i * line_bytes);
  }
  /// This rank reads no slot of steps up to `step` any more.
  void finish(Channel& channel, std::uint64_t step) noexcept {
    channel.done(rank_).store(step, std::memory_order_release);
  }
  /// `finish` for all steps that were taken.
  void finish(Channel& channel) noexcept { finish(channel, channel.last()); }

  /// Where the data of a slot lies, of which `bytes` are used: beside the flag if they fit.
  std::byte* slot(const Channel& channel, int rank, std::uint64_t step,
                  std::size_t bytes) const noexcept {
    return bytes <= Flag::room ? channel.flag(rank, step).data : channel.data(rank, step);
  }

  /// Copies out of `peer`'s process, at an address that it told within this operation.
  /// @throws Error (broken) if that cannot be done, or the peer gave up meanwhile.
  void read(int peer, std::uint64_t address, std::byte* to, std::size_t bytes);
  /// The same; false where the peer's memory cannot be read.
  bool try_read(int peer, std::uint64_t address, std::byte* to, std::size_t bytes);
  std::int64_t process_of(int rank) const noexcept { return lane(rank).presence.process; }

  /// There are more ranks than cores.
  bool yields() const noexcept { return yields_; }
  /// By how many steps a rank that writes and reads is ahead with its writing; fewer than there are
  /// places, or ranks would wait for one another. Where ranks share cores each wait costs a time
  /// slice, and is for several steps.
  std::uint64_t steps_ahead(const Channel& channel) const noexcept {
    return yields_ ? channel.places() / 2 : 1;
  }
  /// What one core writes reaches another one sooner past the caches, as between cores that share
  /// none. A slot is written so then.
  bool caches_apart() const noexcept { return caches_apart_; }
  /// To be called by all ranks alike before a large operation: finds that out, from time to time
  /// again, since virtual processors move.
  void calibrate_if_due() {
    if (input_.last() >= next_calibration_) [[unlikely]]
      calibrate();
  }
  /// Whether so many bytes on each rank are more than the caches hold.
  bool exceeds_caches(std::size_t bytes) const noexcept { return bytes > cache_bytes_; }

  /// For folds, n entries each; kept, so that an operation allocates nothing.
  const void** arrays() noexcept { return arrays_.data(); }
  void** outs() noexcept { return outs_.data(); }

 private:
  Lane& lane(int rank) const noexcept { return reinterpret_cast<Lane*>(lanes_)[rank]; }
  int name_of(int rank) const noexcept { return names_[static_cast<std::size_t>(rank)]; }
  void tell(Lane::GaveUp how) noexcept {
    lane(rank_).presence.gave_up.store(how, std::memory_order_release);
  }
  Lane::GaveUp told_by(int rank) const noexcept {
    return lane(rank).presence.gave_up.load(std::memory_order_acquire);
  }
  void calibrate();
  void await_room(Channel& channel, std::uint64_t done);
  void await_patiently(int peer, const std::atomic<std::uint64_t>& word, std::uint64_t least);
  void look_around(unsigned turn);
  /// `told`: by it, before the word that was waited for was looked at again. `gone`: its process is
  /// known to have ended.
  void look_at_peer(int peer, Lane::GaveUp told, bool gone = false);
  [[noreturn]] void fail_after(int peer);
  /// How a rank gave up.
  std::string words_about(int rank) const;
  [[noreturn]] void fail(Errc code, const std::string& cause);
  [[noreturn]] void fail_by_mismatch(int peer, Signature theirs);
  [[noreturn]] void refuse() const;

  std::byte* lanes_;
  std::shared_ptr<detail::AbortFlag> abort_flag_;
  int rank_;
  int size_;
  bool yields_ = false;  ///< at once: there are more ranks than cores
  bool caches_apart_ = false;
  std::uint64_t next_calibration_ = 0;
  std::size_t cache_bytes_;
  Channel small_;
  Channel input_;
  Channel result_;
  Deadline deadline_;
  Signature signature_ = 0;
  std::uint64_t sequence_ = 0;
  std::string failure_;  ///< what ended an operation in the middle; empty: nothing
  std::vector<int> names_;
  std::vector<const void*> arrays_;
  std::vector<void*> outs_;
};

}  // namespace tutti::mpi::node
