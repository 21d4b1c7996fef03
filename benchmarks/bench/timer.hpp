#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>
#include <vector>

#include "bench/contender.hpp"

namespace tutti::bench {

/// How long to measure; negative: as a steady figure takes.
struct Effort {
  long warmup = -1;
  long iterations = -1;
};

/// Microseconds per call of one contender: for each iteration the slowest rank's.
struct Timings {
  std::vector<double> slowest;
  std::vector<double> skew;  ///< slowest less fastest rank
};

struct Measurement {
  std::vector<Timings> contenders;  ///< as they were given
  std::size_t batch = 1;            ///< calls in an iteration
  std::size_t warmup = 0;           ///< calls before the first iteration, each contender
};

/// Times contenders against one another. An iteration is a batch of calls back to back, as many as
/// make the clock's own cost and the ranks' unequal start small, equally many for all contenders.
/// Before each the ranks are synchronised, outside the timed window; every rank reads its own clock
/// alone, and the slowest rank's duration counts. The contenders take turns iteration by iteration,
/// in swapped order every other time (and where they are more than two, another one first each
/// time), so that whatever else happens on the machine, and what the one before left in the caches,
/// hits them alike.
/// Not thread-safe.
class Timer {
 public:
  explicit Timer(MPI_Comm comm);

  /// Collective, with the same effort on all ranks.
  Measurement measure(std::span<Action* const> actions, const Effort& effort) const;

 private:
  struct Round;
  void synchronise() const;
  double timed(Action& action, std::size_t calls) const;
  double slowest(double duration) const;
  double warm_up(Action& action, long warmup, std::size_t& calls) const;
  void do_rounds(std::span<Action* const> actions, std::size_t rounds, Measurement& result) const;
  std::size_t next_rounds(const Measurement& sofar, const Effort& effort, double elapsed) const;

  MPI_Comm comm_;
  int rank_ = 0;
};

}  // namespace tutti::bench
