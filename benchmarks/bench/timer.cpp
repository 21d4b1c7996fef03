#include "bench/timer.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "bench/statistics.hpp"
#include "common/mpi_support.hpp"

namespace tutti::bench {
namespace {

using Clock = std::chrono::steady_clock;

// All in microseconds.
constexpr double iteration_target = 50;  // a batch is this long: the clock costs 0.05 of it at most
constexpr double warmup_target = 10e3;
constexpr double round_target = 20e3;  // between two looks at whether the figure is steady
constexpr double enough = 100e3;       // less would measure one moment of the machine
constexpr double time_cap = 500e3;
constexpr double hard_cap = 4 * time_cap;  // then even a handful of iterations must do

constexpr double largest_batch = 1000;
constexpr std::size_t least_iterations = 10;
constexpr std::size_t bare_iterations = 3;
// Half the median's 95 % interval, relative: what is aimed at, and what is enough after time_cap.
constexpr double steady = 0.01;
constexpr double acceptable = 0.05;

double since(Clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

}  // namespace

Timer::Timer(MPI_Comm comm) : comm_(comm) {
  check_mpi(MPI_Comm_rank(comm, &rank_), "MPI_Comm_rank");
}

/// The first barrier gathers the ranks, whatever they did before; the second, entered nearly
/// together, lets them leave nearly together.
void Timer::synchronise() const {
  check_mpi(MPI_Barrier(comm_), "MPI_Barrier");
  check_mpi(MPI_Barrier(comm_), "MPI_Barrier");
}

/// Microseconds that `calls` calls took on this rank.
double Timer::timed(Action& action, std::size_t calls) const {
  synchronise();
  const Clock::time_point begin = Clock::now();
  for (std::size_t call = 0; call < calls; ++call) action.run();
  action.finish();
  return since(begin);
}

double Timer::slowest(double duration) const {
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, &duration, 1, MPI_DOUBLE, MPI_MAX, comm_), "MPI_Allreduce");
  return duration;
}

/// Returns an estimate of one call's time; 0 without warm-up. Doubles the calls until they take
/// long enough, so that caches, connections and the clock frequency settle.
double Timer::warm_up(Action& action, long warmup, std::size_t& calls) const {
  if (warmup == 0) return 0;
  if (warmup > 0) {
    calls = static_cast<std::size_t>(warmup);
    return slowest(timed(action, calls)) / static_cast<double>(calls);
  }
  double total = 0;
  for (std::size_t step = 1;; step *= 2) {
    const double duration = slowest(timed(action, step));
    calls += step;
    total += duration;
    if (total >= warmup_target) return duration / static_cast<double>(step);
  }
}

void Timer::do_rounds(std::span<Action* const> actions, std::size_t rounds,
                      Measurement& result) const {
  const std::size_t contenders = actions.size();
  // Durations and their negatives, so that one reduction gives both the slowest and the fastest.
  std::vector<double> extremes(2 * rounds * contenders);
  for (std::size_t round = 0; round < rounds; ++round)
    for (std::size_t turn = 0; turn < contenders; ++turn) {
      const std::size_t place = round % 2 == 0 ? turn : contenders - 1 - turn;
      const std::size_t who = contenders > 2 ? (place + round / 2) % contenders : place;
      const double per_call =
          timed(*actions[who], result.batch) / static_cast<double>(result.batch);
      const std::size_t at = 2 * (round * contenders + who);
      extremes[at] = per_call;
      extremes[at + 1] = -per_call;
    }
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, extremes.data(), static_cast<int>(extremes.size()),
                          MPI_DOUBLE, MPI_MAX, comm_),
            "MPI_Allreduce");
  for (std::size_t i = 0; i < rounds * contenders; ++i) {
    Timings& timings = result.contenders[i % contenders];
    timings.slowest.push_back(extremes[2 * i]);
    timings.skew.push_back(extremes[2 * i] + extremes[2 * i + 1]);
  }
}

/// How many rounds to do before the next look; 0: the figures are steady, or time is up. Known to
/// rank 0 alone, whose clock decides.
std::size_t Timer::next_rounds(const Measurement& sofar, const Effort& effort,
                               double elapsed) const {
  const std::size_t done = sofar.contenders.front().slowest.size();
  const double each = done > 0 ? elapsed / static_cast<double>(done) : round_target;
  const auto rounds = static_cast<std::size_t>(std::clamp(round_target / each, 1.0, 1000.0));
  if (effort.iterations >= 0) {
    const auto wanted = static_cast<std::size_t>(effort.iterations);
    return std::min(rounds, wanted - done);
  }
  if (elapsed > hard_cap && done >= bare_iterations) return 0;
  if (done < least_iterations) return std::min(rounds, least_iterations - done);
  double worst = 0;
  for (const Timings& timings : sofar.contenders)
    worst = std::max(worst, median_uncertainty(timings.slowest));
  const bool settled = elapsed > time_cap ? worst < acceptable : worst < steady;
  return settled && elapsed >= enough ? 0 : rounds;
}

Measurement Timer::measure(std::span<Action* const> actions, const Effort& effort) const {
  Measurement result;
  result.contenders.resize(actions.size());
  double fastest = INFINITY;
  for (Action* action : actions) {
    result.warmup = 0;
    fastest = std::min(fastest, warm_up(*action, effort.warmup, result.warmup));
  }
  if (fastest > 0)
    result.batch = static_cast<std::size_t>(
        std::clamp(std::ceil(iteration_target / fastest), 1.0, largest_batch));

  const Clock::time_point begin = Clock::now();
  for (;;) {
    unsigned long rounds = rank_ == 0 ? next_rounds(result, effort, since(begin)) : 0;
    check_mpi(MPI_Bcast(&rounds, 1, MPI_UNSIGNED_LONG, 0, comm_), "MPI_Bcast");
    if (rounds == 0) return result;
    do_rounds(actions, rounds, result);
  }
}

}  // namespace tutti::bench
