#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/activity.hpp"
#include "diagnostics/recorder.hpp"
#include "mpi/session.hpp"

namespace tutti {

/// Tells what this rank does on one communicator: to its neighbours on the status board, to the
/// stall watch, and to the recorder where there is one. One thread at a time, but for `waits`.
class Tracker {
 public:
  explicit Tracker(std::shared_ptr<mpi::Session> session);
  Tracker(const Tracker&) = delete;
  Tracker& operator=(const Tracker&) = delete;
  ~Tracker();

  /// The collective call going on, or the last one.
  std::uint64_t step() const noexcept { return reached_; }
  bool records() const noexcept { return recorder_ != nullptr; }

  /// A call begins.
  void begin(OperationList group, Verb verb) noexcept {
    begin(group, verb,
          group.size() == 1 ? is_collective(group.front().kind) : any_collective(group));
  }
  void begin_split() noexcept { begin_without_operation(barrier(), Verb::split); }
  void begin_window(std::size_t bytes) noexcept {
    Operation what = barrier();
    what.receive.given = true;
    what.receive.type = DataType::byte;
    what.receive.count = bytes;
    begin_without_operation(what, Verb::window);
  }
  /// It was found right, and may move data from now on.
  void admitted() noexcept { admitted_ = true; }
  bool was_admitted() const noexcept { return admitted_; }
  void served_by(record_file::BackendName backend) noexcept {
    if (record_ != 0) recorder_->served_by(record_, backend);
  }
  /// It is over, if one had begun.
  void leave() noexcept {
    if (!inside_) return;
    inside_ = false;
    status_->state.store(Status::State::outside, std::memory_order_release);
    if (record_ != 0) [[unlikely]]
      end_record(record_file::State::done);
  }
  /// It is over, by an error; `broken`: the communicator is.
  void fail(bool broken) noexcept;

  /// A started operation, from one call to the next.
  struct Ticket {
    std::uint64_t step = 0;
    std::uint64_t record = 0;
    PackedActivity activity{};
  };
  /// The call that is going on is to be continued by `resume`.
  Ticket keep() noexcept;
  void resume(const Ticket& ticket) noexcept;

  /// What the call that is going on waits for, and what the others are doing.
  std::string others() const;

  /// Changes with every call; 0 outside of any. For the thread of the stall watch.
  std::uint32_t call_going_on() const noexcept;
  /// As `others`, with the call itself, of this node's ranks; from any thread.
  std::string waits() const;

 private:
  static bool any_collective(OperationList group) noexcept;
  void begin(OperationList group, Verb verb, bool collective) noexcept {
    const PackedActivity activity = pack(group.front(), group.size());
    collective_ = collective;
    if (collective) ++reached_;
    admitted_ = false;
    Status& status = *status_;
    status.reached.store(reached_, std::memory_order_relaxed);
    enter(status, reached_, activity);
    if (recorder_ != nullptr) [[unlikely]]
      begin_record(verb, activity.words[0], activity.words[1], activity.words[2]);
  }
  void begin_without_operation(const Operation& words, Verb verb) noexcept {
    begin(words, verb, true);
    status_->store(pack(words, no_group));
  }
  void enter(Status& status, std::uint64_t step, const PackedActivity& activity) noexcept {
    inside_ = true;
    status.calls.store(++calls_, std::memory_order_relaxed);
    status.step.store(step, std::memory_order_relaxed);
    status.store(activity);
    status.state.store(Status::State::inside, std::memory_order_release);
  }
  // In registers: read from memory again, two words at a time, they would wait for their stores.
  [[gnu::noinline]] void begin_record(Verb verb, std::uint64_t first, std::uint64_t second,
                                      std::uint64_t third) noexcept;
  [[gnu::noinline]] void end_record(record_file::State state) noexcept;

  std::shared_ptr<mpi::Session> session_;
  Status* status_;
  Recorder* recorder_;
  Recorder::Place place_;
  std::uint64_t reached_ = 0;  // collective calls begun
  std::uint64_t record_ = 0;   // of the call going on; 0: none
  std::uint32_t calls_ = 0;
  bool inside_ = false;
  bool collective_ = false;  // the call going on
  bool admitted_ = false;    // likewise
};

}  // namespace tutti
