#include "bench/runner.hpp"

#include <algorithm>

namespace tutti::bench {
namespace {

/// The raw library to compare with; null for none.
std::unique_ptr<Contender> make_raw(Against against, MPI_Comm comm,
                                    const Communicator& communicator, const DeviceStream* stream) {
  switch (against) {
    case Against::none:
      return nullptr;
    case Against::mpi:
      return make_mpi(comm);
    case Against::nccl:
      return make_nccl(communicator, *stream);
    case Against::memcpy:
      return make_memcpy();
  }
  return nullptr;
}

std::vector<double> divided(std::vector<double> values, double by) {
  std::transform(values.begin(), values.end(), values.begin(), [by](double v) { return v / by; });
  return values;
}

}  // namespace

/// What a job has on this rank while it is measured.
struct Runner::Attempt {
  std::unique_ptr<Workspace> workspace;
  std::unique_ptr<Action> tutti;
  std::unique_ptr<Action> raw;
};

Runner::Runner(const Settings& settings, const Communicator& communicator, const Memory& memory,
               MPI_Comm comm)
    : settings_(settings),
      communicator_(communicator),
      memory_(memory),
      comm_(comm),
      agreement_(comm),
      timer_(comm_.get()),
      stream_(memory.kind() == MemoryKind::device
                  ? std::make_unique<DeviceStream>(communicator.device())
                  : nullptr),
      tutti_(make_tutti(communicator, stream_.get())),
      raw_(make_raw(settings.against, comm, communicator, stream_.get())) {}

Row Runner::measure(const Job& job) {
  Row row = describe(job);
  Attempt attempt;
  std::string failure = prepare(job, attempt, row);
  if (failure.empty() && settings_.check) failure = verify(job, attempt, row);
  if (failure.empty()) failure = time(job, attempt, row);
  if (failure.empty() && settings_.check) failure = verify(job, attempt, row);
  if (!failure.empty()) {
    row.error = failure;
    row.verified = false;
  }
  return row;
}

Row Runner::describe(const Job& job) const {
  Row row;
  const Collective& collective = *job.collective;
  row.collective = collective.name;
  row.memory = memory_.name();
  row.verb = to_string(job.verb);
  row.type = to_string(job.type);
  if (collective.reduces) row.op = to_string(job.op);
  if (collective.rooted) row.root = job.root;
  row.in_place = job.in_place;
  row.uneven = job.uneven;
  row.bytes = job.bytes();
  row.count = job.count;
  if (raw_) row.against = raw_->name();
  row.verified = settings_.check;
  return row;
}

/// Makes memory and contenders ready. Each step is agreed on, so that no rank enters a collective
/// that another one never reaches.
std::string Runner::prepare(const Job& job, Attempt& attempt, Row& row) {
  std::string failure = agreement_.agree(bench::attempt([&] {
    attempt.workspace = std::make_unique<Workspace>(job, memory_);
    Pattern pattern({job.type, {}, job.size, seed_});
    attempt.workspace->fill(pattern);  // touches every page
    const auto operations = job.collective->operations(job, attempt.workspace->ranges());
    if (operations.empty()) return;
    name_server(operations.front(), job, row);
  }));
  if (!failure.empty()) return failure;
  return agreement_.agree(bench::attempt([&] {
    const Ranges& ranges = attempt.workspace->ranges();
    attempt.tutti = tutti_->prepare(job, ranges);
    if (raw_ && raw_->refusal(job).empty()) attempt.raw = raw_->prepare(job, ranges);
  }));
}

void Runner::name_server(const Operation& operation, const Job& job, Row& row) const {
  const Choice choice = communicator_.choose(operation);
  // The choice is that of `run`: what is started does not go through the node's memory.
  const bool apart = job.verb == Verb::start && choice.backend == "node";
  row.backend = apart ? "mpi" : choice.backend;
  row.algorithm = apart ? "" : choice.algorithm;
}

/// One call on fresh data and poisoned results, compared on every rank.
std::string Runner::verify(const Job& job, Attempt& attempt, Row& row) {
  std::uint64_t counts[2] = {0, 0};  // wrong elements, ranks that compared
  const Pattern::Recipe recipe{
      job.type, job.collective->reduces ? std::optional(job.op) : std::nullopt, job.size, ++seed_};
  Pattern pattern(recipe);
  const std::string failure = agreement_.agree(bench::attempt([&] {
    attempt.workspace->fill(pattern);
    attempt.tutti->run();
    attempt.tutti->finish();
    counts[0] = attempt.workspace->count_wrong(pattern);
    counts[1] = 1;
  }));
  if (!failure.empty()) return failure;
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, counts, 2, MPI_UINT64_T, MPI_SUM, comm_.get()),
            "MPI_Allreduce");
  row.wrong += counts[0];
  row.verified = row.verified && counts[1] == static_cast<std::uint64_t>(job.size);
  return {};
}

std::string Runner::time(const Job& job, Attempt& attempt, Row& row) {
  return agreement_.agree(bench::attempt([&] {
    std::vector<Action*> actions{attempt.tutti.get()};
    if (attempt.raw) actions.push_back(attempt.raw.get());
    enter(timer_.measure(actions, settings_.effort), job, row);
    // By now ranks have found out what they had to.
    const auto operations = job.collective->operations(job, attempt.workspace->ranges());
    if (!operations.empty()) name_server(operations.front(), job, row);
  }));
}

void Runner::enter(const Measurement& measurement, const Job& job, Row& row) const {
  const double calls = job.collective->calls;
  const Timings& own = measurement.contenders.front();
  row.warmup = measurement.warmup;
  row.batch = measurement.batch;
  row.iterations = own.slowest.size();
  row.time_us = summarise(divided(own.slowest, calls));
  row.skew_us = median(divided(own.skew, calls));
  set_bandwidth(row, job.collective->bus_factor(job.size));
  if (measurement.contenders.size() < 2) return;
  row.raw_time_us = median(divided(measurement.contenders[1].slowest, calls));
  if (row.time_us.median > 0) row.ratio = *row.raw_time_us / row.time_us.median;
}

}  // namespace tutti::bench
