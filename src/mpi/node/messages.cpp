#include "mpi/node/messages.hpp"

#include "mpi/wire.hpp"

namespace tutti::mpi::node {

Messages::Messages(Session& session)
    : session_(session),
      schedule_(std::make_shared<Schedule>()),
      execution_(session.comm(), *schedule_) {}

Messages::~Messages() {
  if (execution_.under_way()) session_.leave_under_way(execution_.give_up(), std::move(schedule_));
}

void Messages::clear() noexcept {
  schedule_->clear();
  copies_.clear();
}

void Messages::open(std::size_t element) {
  element_ = element;
  tag_ = session_.next_tag();
}

Step Messages::message(StepKind kind, int peer) const {
  Step step;
  step.kind = kind;
  step.peer = peer;
  step.tag = tag_;
  step.wire = wire_type(element_);
  return step;
}

void Messages::send(const std::byte* data, std::size_t count, int to) {
  Step step = message(StepKind::send, to);
  step.in = data;
  schedule_->add_message(step, count, element_, session_.options().max_count);
}

void Messages::receive(std::byte* data, std::size_t count, int from) {
  Step step = message(StepKind::receive, from);
  step.out = data;
  schedule_->add_message(step, count, element_, session_.options().max_count);
}

// Behind all messages, which would else wait for it.
void Messages::copy_at_last(const std::byte* from, std::byte* to, std::size_t count) {
  if (count == 0) return;
  Step& step = copies_.emplace_back();
  step.kind = StepKind::copy;
  step.in = from;
  step.out = to;
  step.length = count * element_;
}

void Messages::start() {
  schedule_->steps.insert(schedule_->steps.end(), copies_.begin(), copies_.end());
  execution_.start();
}

void Messages::finish() {
  execution_.finish();
}

}  // namespace tutti::mpi::node
