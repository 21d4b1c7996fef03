#include "bench/planner.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/sizes.hpp"
#include "bench/workspace.hpp"

namespace tutti::bench {
namespace {

class Planner {
 public:
  Planner(const Settings& settings, const Place& place, const Note& note)
      : settings_(settings), place_(place), note_(note) {}

  std::vector<Job> plan() {
    for (const Collective* collective : settings_.collectives) add(*collective);
    return std::move(jobs_);
  }

 private:
  void add(const Collective& collective) {
    if (place_.size < collective.least_size) {
      note_(
          fmt::format("{} is skipped: it needs {} ranks", collective.name, collective.least_size));
      return;
    }
    const Job form = form_of(collective);
    if (!collective.moves_data) {
      add_size(form, 0);
      return;
    }
    for (DataType type : settings_.types)
      for (ReduceOp::Kind op : ops_of(collective)) add_sizes(form, type, op);
  }

  /// What is asked for, as far as the collective has it.
  Job form_of(const Collective& collective) {
    Job job;
    job.collective = &collective;
    job.root = settings_.root;
    job.verb = settings_.verb;
    job.rank = place_.rank;
    job.size = place_.size;
    job.uneven = settings_.uneven && collective.uneven_form;
    job.in_place = settings_.in_place && collective.in_place_form &&
                   (!job.uneven || collective.uneven_in_place_form);
    if (settings_.in_place && !job.in_place && collective.moves_data)
      note_(fmt::format("{} has no such form in place: it is measured out of place",
                        collective.name));
    return job;
  }

  std::vector<ReduceOp::Kind> ops_of(const Collective& collective) const {
    return collective.reduces ? settings_.ops : std::vector{ReduceOp::Kind::sum};
  }

  void add_sizes(Job job, DataType type, ReduceOp::Kind op) {
    const Collective& collective = *job.collective;
    const bool defined = reducible(op, type) && (collective.averages || op != ReduceOp::Kind::avg);
    if (collective.reduces && !defined) {
      note_(fmt::format("{} {} of {} is skipped: it is not defined", collective.name, to_string(op),
                        to_string(type)));
      return;
    }
    job.type = type;
    job.op = op;
    for (std::uint64_t bytes : settings_.sizes)
      if (!add_size(job, bytes)) return;
  }

  /// False if this size, and so every larger one, is too large.
  bool add_size(Job job, std::uint64_t bytes) {
    set_size(job, bytes);
    const std::size_t needed = most_needed(job);
    if (needed > place_.memory_limit) {
      note_(fmt::format(
          "{} of {} is skipped: a rank would need {} MiB, and {} MiB is its share of "
          "the memory that is free",
          job.collective->name, format_size(bytes), needed >> 20, place_.memory_limit >> 20));
      return std::is_sorted(settings_.sizes.begin(), settings_.sizes.end()) ? false : true;
    }
    jobs_.push_back(std::move(job));
    return true;
  }

  /// Bytes on the rank that needs most, so that all ranks decide alike.
  std::size_t most_needed(const Job& job) const {
    std::size_t most = 0;
    for (int rank : {0, place_.size - 1, job.root}) {
      Job other = job;
      other.rank = rank;
      most = std::max(most, bytes_needed(other));
    }
    return most + (settings_.against == Against::memcpy ? 2 * job.bytes() : 0);
  }

  const Settings& settings_;
  const Place& place_;
  const Note& note_;
  std::vector<Job> jobs_;
};

}  // namespace

std::vector<Job> plan_jobs(const Settings& settings, const Place& place, const Note& note) {
  return Planner(settings, place, note).plan();
}

}  // namespace tutti::bench
