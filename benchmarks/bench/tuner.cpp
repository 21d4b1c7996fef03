#include "bench/tuner.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>
#include <tutti/communicator.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>

#include "bench/output.hpp"
#include "bench/planner.hpp"
#include "bench/statistics.hpp"
#include "bench/timer.hpp"
#include "bench/ways.hpp"
#include "bench/workspace.hpp"
#include "common/machine.hpp"

namespace tutti::bench {
namespace {

/// A communicator on which every collective goes one way, by a table in a file that is gone again.
/// Rank 0's alone is read.
Communicator one_way_communicator(const Communicator& part, std::size_t way) {
  std::string name = std::filesystem::temp_directory_path() / "tutti-bench-way.XXXXXX";
  const int file = part.rank() == 0 ? mkstemp(name.data()) : -1;
  if (file >= 0) {
    close(file);
    std::ofstream(name) << one_way_table(way);
  }
  setenv("TUTTI_TUNE", name.c_str(), 1);
  Communicator communicator(part.mpi());
  unsetenv("TUTTI_TUNE");
  if (file >= 0) unlink(name.c_str());
  return communicator;
}

/// Does the ways' work on the first ranks of the job; the others wait.
class Tuner {
 public:
  Tuner(const Settings& settings, const Console& console, const Communicator& part)
      : settings_(settings), console_(console), part_(part), timer_(part.mpi()) {
    constexpr std::size_t most_ways = 4;
    ways_.reserve(most_ways);  // contenders refer to them
    for (std::size_t way = 0; way < most_ways; ++way) {
      ways_.push_back(one_way_communicator(part, way));
      contenders_.push_back(make_tutti(ways_.back(), nullptr));
    }
  }

  std::string rules() {
    const auto limit = available_memory() / 3 / static_cast<std::size_t>(part_.size());
    std::string rules;
    for (const Collective* collective : settings_.collectives) {
      Settings one = settings_;
      one.collectives = {collective};
      const Place place{part_.rank(), part_.size(), agreed(limit)};
      std::vector<WayTimes> sizes;
      for (const Job& job : plan_jobs(one, place, [](const std::string&) {})) {
        console_.progress(
            fmt::format("{} ranks: {} of {} bytes", part_.size(), collective->name, job.bytes()));
        // Small arrays of several sizes may be the same one, an element a rank.
        if (sizes.empty() || job.bytes() > sizes.back().bytes) sizes.push_back(measure(job));
      }
      console_.progress("");
      if (!sizes.empty()) rules += "\n" + rules_for(*collective, part_.size(), sizes);
    }
    return rules;
  }

 private:
  std::size_t agreed(std::size_t limit) const {
    unsigned long least = limit;
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_UNSIGNED_LONG, MPI_MIN, part_.mpi()),
              "MPI_Allreduce");
    return least;
  }

  WayTimes measure(const Job& job) const {
    const auto memory = make_ordinary_memory();
    Workspace workspace(job, *memory);
    Pattern pattern({job.type, {}, job.size, 1});
    workspace.fill(pattern);
    const std::size_t n_ways = ways_of(*job.collective).size();
    std::vector<std::unique_ptr<Action>> actions;
    std::vector<Action*> views;
    for (std::size_t way = 0; way < n_ways; ++way) {
      actions.push_back(contenders_[way]->prepare(job, workspace.ranges()));
      views.push_back(actions.back().get());
      actions.back()->run();
      require_way(job, workspace.ranges(), way);
    }
    WayTimes times{job.bytes(), {}};
    for (const Timings& timings : timer_.measure(views, effort_for(job.bytes())).contenders)
      times.us.push_back(median(timings.slowest));
    return times;
  }

  /// Shared memory may turn out not to be had at the first operation.
  void require_way(const Job& job, const Ranges& ranges, std::size_t way) const {
    const Choice choice = ways_[way].choose(job.collective->operations(job, ranges).front());
    if ((choice.backend == "mpi") != (way == 0))
      throw Error(Errc::unsupported,
                  fmt::format("--tune cannot compare the ways: {} goes by {}: {}",
                              job.collective->name, choice.backend, choice.reason));
  }

  /// A tenth of a second or so: many rows, of which none is worth more.
  Effort effort_for(std::uint64_t bytes) const {
    Effort effort = settings_.effort;
    constexpr std::uint64_t most = 200;
    constexpr std::uint64_t least = 20;
    constexpr std::uint64_t bytes_of_most = 256 * 1024;
    if (effort.iterations < 0)
      effort.iterations = static_cast<long>(
          std::clamp(most * bytes_of_most / std::max<std::uint64_t>(bytes, 1), least, most));
    return effort;
  }

  const Settings& settings_;
  const Console& console_;
  const Communicator& part_;
  Timer timer_;
  std::vector<Communicator> ways_;
  std::vector<std::unique_ptr<Contender>> contenders_;
};

/// 2, 4, 8, ... and the last.
std::vector<int> rank_counts(int ranks) {
  std::vector<int> counts;
  for (int count = 2; count < ranks; count *= 2) counts.push_back(count);
  counts.push_back(ranks);
  return counts;
}

std::string header(const JobEnvironment& e) {
  return fmt::format(
      "# Which way collectives on host memory go, for TUTTI_TUNE. Written by tutti-bench --tune:\n"
      "# tutti {}, {}\n"
      "# {} ranks on {} cores, {}{}, {}\n"
      "# {}\n",
      e.tutti_version, e.mpi_library, e.ranks, fmt::join(e.cores_per_node, " + "), e.cpu_model,
      e.oversubscribed ? ", more ranks than cores: times are not the machine's" : "", e.date,
      e.command_line);
}

}  // namespace

void tune(const Settings& settings, const Console& console, const JobEnvironment& environment) {
  // What the environment says of ways is what is to be found out.
  unsetenv("TUTTI_TUNE");
  setenv("TUTTI_HOST_PATH", "automatic", 1);
  Agreement agreement(MPI_COMM_WORLD);
  Output output(settings.tune, console, agreement);
  if (console.speaks()) output.stream() << header(environment);
  const Communicator world(MPI_COMM_WORLD);
  for (const int ranks : rank_counts(world.size())) {
    const Communicator part = world.split(world.rank() < ranks ? 0 : -1);
    const std::string failure = agreement.agree(attempt([&] {
      if (!part.valid()) return;
      const std::string rules = Tuner(settings, console, part).rules();
      if (console.speaks()) output.stream() << rules << std::flush;
    }));
    if (!failure.empty()) throw Error(Errc::unsupported, failure);
  }
}

}  // namespace tutti::bench
