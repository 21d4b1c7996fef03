// How a case is done, and what may come of it.
#include <algorithm>

#include "fuzz/case.hpp"
#include "fuzz/failure.hpp"

namespace tutti::fuzz {
namespace {

OperationList list_of(const std::vector<Operation>& operations) {
  return {operations.data(), operations.size()};
}

// Collective over `raw`.
bool same_on_all(MPI_Comm raw, int value) {
  int both[2] = {value, -value};
  MPI_Allreduce(MPI_IN_PLACE, both, 2, MPI_INT, MPI_MIN, raw);
  return both[0] == -both[1];
}

}  // namespace

void Case::perform() {
  arm();
  std::optional<Error> error;
  try {
    perform_once();
  } catch (const Error& thrown) {
    error = thrown;
  }
  if (spoil_ != nullptr) return require_refused(error);
  if (error) fail(std::string("a valid operation was refused: ") + error->what());
  require_done();
}

void Case::require_refused(const std::optional<Error>& error) {
  const int code = error ? static_cast<int>(error->code()) : -1;
  const bool agreed = same_on_all(member_.raw, code);
  if (!error) fail("no error was thrown");
  if (!agreed) fail(std::string("the ranks' errors differ; here: ") + error->what());
  if (error->code() != spoil_->expected) fail(std::string("another error: ") + error->what());
  // What ran before the wrong one was right to run.
  if (manner_ != Manner::run_each && manner_ != Manner::start_each)
    for (const auto& instance : instances_)
      if (const testing::AssertionResult same = instance->is_untouched(); !same)
        fail(std::string("refused, but not left alone: ") + same.message());
  int one = 1;
  member_.communicator.all_reduce(ReceiveView(std::span<int>(&one, 1)));
  require(one == size_, "after a refusal an all_reduce is wrong");
}

void Case::perform_once() {
  switch (manner_) {
    case Manner::run_each:
      return perform_each();
    case Manner::run_group:
      return member_.communicator.run(list_of(group()));
    case Manner::start_group: {
      Work work = member_.communicator.start(list_of(group()));
      forget_blocks();
      return finish(work);
    }
    case Manner::start_each:
      return perform_works();
    case Manner::plan_run:
    case Manner::plan_start:
      return perform_plan();
  }
}

void Case::perform_each() {
  for (const Operation& operation : group()) member_.communicator.run(operation);
}

// Ranks wait as they like: in any order, by any call.
void Case::perform_works() {
  std::vector<Work> works;
  for (std::size_t i = 0; i < instances_.size(); ++i) {
    std::vector<Operation> some = instances_[i]->operations();
    spoil(some, i);
    works.push_back(member_.communicator.start(list_of(some)));
  }
  forget_blocks();
  for (std::size_t i = works.size(); i > 1; --i) std::swap(works[i - 1], works[own_.below(i)]);
  for (Work& work : works) finish(work);
}

void Case::finish(Work& work) {
  switch (own_.below(4)) {
    case 0:
      return work.wait();
    case 1:
      while (!work.test()) {
      }
      return;
    case 2:
      while (!work.wait_for(std::chrono::microseconds(own_.below(200)))) {
      }
      return;
    default:
      return Work(std::move(work)).wait();
  }
}

void Case::perform_plan() {
  Plan plan = member_.communicator.plan(list_of(group()));
  forget_blocks();
  for (std::size_t rounds = 1 + random_.below(3); rounds > 0; --rounds) {
    if (manner_ == Manner::plan_run) {
      plan.run();
    } else {
      Work work = plan.start();
      finish(work);
    }
    if (rounds == 1) return;
    require_done();
    arm();
  }
}

}  // namespace tutti::fuzz
