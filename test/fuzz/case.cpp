#include "fuzz/case.hpp"

#include <algorithm>

#include "fuzz/failure.hpp"

namespace tutti::fuzz {
namespace {

constexpr const char* manner_names[] = {"run each",   "run as a group", "start as a group",
                                        "start each", "plan and run",   "plan and start"};

bool needs_group(const Draw& draw) {
  return draw.messages == Messages::send_and_recv;
}

}  // namespace

Case::Case(std::uint64_t seed, Member& member, const Limits& limits)
    : random_(seed),
      own_(seed),
      member_(member),
      rank_(member.communicator.rank()),
      size_(member.communicator.size()) {
  own_ = Random(seed + static_cast<std::uint64_t>(rank_) + 1);
  const std::size_t operations = random_.chance(70) ? 1 : 2 + random_.below(3);
  for (std::size_t i = 0; i < operations; ++i)
    draws_.push_back(draw_operation(random_, size_, limits));
  draw_manner();
  draw_spoil();
  for (const Draw& draw : draws_)
    instances_.push_back(std::make_unique<Instance>(draw, rank_, size_));
}

void Case::draw_manner() {
  manner_ =
      random_.pick({Manner::run_each, Manner::run_each, Manner::run_group, Manner::start_group,
                    Manner::start_each, Manner::plan_run, Manner::plan_start});
  if (manner_ == Manner::run_each && std::any_of(draws_.begin(), draws_.end(), needs_group))
    manner_ = Manner::run_group;
  deadline_ = random_.chance(10);
}

void Case::draw_spoil() {
  const Check check = member_.communicator.options().check;
  if (check == Check::none || !random_.chance(30)) return;
  spoiled_ = random_.below(draws_.size());
  const Draw& draw = draws_[spoiled_];
  // What one rank alone does wrong is everybody's error only where the ranks compare.
  const bool one_alone = check == Check::global && draws_.size() == 1 &&
                         draw.messages == Messages::none && random_.chance(60);
  if (one_alone) victim_ = random_.rank_of(size_);
  spoil_ = one_alone && random_.chance(70) ? draw_mismatch(random_, draw, size_)
                                           : draw_refusal(random_, draw, size_);
  // A deadline that all have would not be a difference.
  if (spoil_ != nullptr && one_alone) deadline_ = false;
  if (member_.communicator.options().timeout.count() != 0 && spoil_ != nullptr &&
      std::string(spoil_->name) == "a deadline")
    spoil_ = nullptr;
}

bool Case::is_mine_to_spoil() const noexcept {
  return spoil_ != nullptr && (victim_ < 0 || victim_ == rank_);
}

std::string Case::text() const {
  std::string words = "on rank " + std::to_string(rank_) + " of " + std::to_string(size_) + ", " +
                      member_.text + "; " + manner_names[static_cast<int>(manner_)];
  if (deadline_) words += " with a deadline";
  for (const Draw& draw : draws_) words += "\n  " + draw.text();
  if (spoil_ != nullptr)
    words += std::string("\n  wrong: ") + spoil_->name + " in operation " +
             std::to_string(spoiled_) +
             (victim_ < 0 ? " on all ranks" : " on rank " + std::to_string(victim_));
  return words;
}

void Case::spoil(std::vector<Operation>& operations, std::size_t at) const {
  if (!is_mine_to_spoil() || at != spoiled_) return;
  for (Operation& operation : operations) spoil_->apply(operation, draws_[at], size_);
}

std::vector<Operation> Case::group() {
  std::vector<Operation> all;
  for (std::size_t i = 0; i < instances_.size(); ++i) {
    std::vector<Operation> some = instances_[i]->operations();
    if (deadline_)
      for (Operation& operation : some) operation = operation.within(std::chrono::minutes(10));
    spoil(some, i);
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

void Case::arm() {
  ++round_;
  for (const auto& instance : instances_) instance->arm(round_);
}

void Case::forget_blocks() {
  for (const auto& instance : instances_) instance->forget_blocks();
}

void Case::require_done() {
  for (const auto& instance : instances_)
    if (const testing::AssertionResult done = instance->is_done(); !done)
      fail(std::string("wrong data: ") + done.message());
}

}  // namespace tutti::fuzz
