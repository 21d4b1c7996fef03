#include "diagnostics/tracker.hpp"

#include <algorithm>

#include "core/text.hpp"
#include "diagnostics/others.hpp"
#include "diagnostics/stall_watch.hpp"

namespace tutti {

Tracker::Tracker(std::shared_ptr<mpi::Session> session)
    : session_(std::move(session)),
      status_(&session_->board().own()),
      recorder_(Recorder::opened()),
      place_{session_->id(), session_->rank(), session_->size()} {
  stall_watch::add(*this);
}

Tracker::~Tracker() {
  stall_watch::remove(*this);
}

bool Tracker::any_collective(OperationList group) noexcept {
  return std::any_of(group.begin(), group.end(),
                     [](const Operation& operation) { return is_collective(operation.kind); });
}

void Tracker::begin_record(Verb verb, std::uint64_t first, std::uint64_t second,
                           std::uint64_t third) noexcept {
  record_ = recorder_->begin(place_, reached_, verb, {{first, second, third}});
}

void Tracker::end_record(record_file::State state) noexcept {
  recorder_->end(record_, state);
  record_ = 0;
}

void Tracker::fail(bool broken) noexcept {
  if (!inside_) return;
  inside_ = false;
  const bool refused = !broken && !admitted_;
  // A call that this rank did not make after all does not count.
  if (refused && collective_) status_->reached.store(--reached_, std::memory_order_relaxed);
  status_->state.store(broken ? Status::State::failed : Status::State::outside,
                       std::memory_order_release);
  if (record_ != 0) end_record(refused ? record_file::State::refused : record_file::State::failed);
}

Tracker::Ticket Tracker::keep() noexcept {
  const Ticket ticket{status_->step.load(std::memory_order_relaxed), record_, status_->load()};
  record_ = 0;
  return ticket;
}

void Tracker::resume(const Ticket& ticket) noexcept {
  admitted_ = true;
  record_ = ticket.record;
  enter(*status_, ticket.step, ticket.activity);
}

std::string Tracker::others() const {
  return what_others_do(*session_, Sources::all);
}

std::uint32_t Tracker::call_going_on() const noexcept {
  if (status_->state.load(std::memory_order_acquire) != Status::State::inside) return 0;
  return status_->calls.load(std::memory_order_relaxed);
}

std::string Tracker::waits() const {
  return describe(unpack(status_->load())) + what_others_do(*session_, Sources::board);
}

}  // namespace tutti
