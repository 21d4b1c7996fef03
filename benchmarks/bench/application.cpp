#include "bench/application.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <iostream>
#include <stdexcept>

#include "bench/planner.hpp"
#include "bench/report.hpp"
#include "bench/runner.hpp"
#include "bench/verdict.hpp"
#include "common/console.hpp"

namespace tutti::bench {
namespace {

/// Bytes that each rank may take: the free memory shared among the node's ranks, with a third left
/// for MPI and everybody else. The least over all ranks, as collectives need equal sizes.
std::size_t memory_limit(const Memory& memory, MPI_Comm comm) {
  const auto sharing = static_cast<std::size_t>(ranks_on_this_node(comm));
  unsigned long limit = memory.available() / 3 * 2 / sharing;
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, &limit, 1, MPI_UNSIGNED_LONG, MPI_MIN, comm),
            "MPI_Allreduce");
  return limit;
}

/// Where rank 0 writes its rows: a file, or standard output.
class Output {
 public:
  /// Collective. @throws Error on all ranks alike if the file cannot be written.
  Output(const std::string& file, const Console& console, Agreement& agreement) {
    const std::string failure = agreement.agree(attempt([&] {
      if (file.empty() || !console.speaks()) return;
      file_.open(file);
      if (!file_) throw std::runtime_error("cannot write to " + file);
    }));
    if (!failure.empty()) throw Error(Errc::invalid_argument, failure);
  }
  std::ostream& stream() { return file_.is_open() ? file_ : std::cout; }

 private:
  std::ofstream file_;
};

int measure_all(const Settings& settings, const Console& console, int argc, char** argv) {
  Options options;
  // A benchmark of messages alone would otherwise never join NCCL.
  if (settings.memory == MemoryKind::device) options.join = NcclJoin::eager;
  const Communicator world(MPI_COMM_WORLD, options);
  const auto memory = make_memory(settings.memory, world);
  Agreement agreement(MPI_COMM_WORLD);
  Output output(settings.output, console, agreement);
  const JobEnvironment environment = job_environment(MPI_COMM_WORLD, argc, argv);
  const Place place{world.rank(), world.size(), memory_limit(*memory, MPI_COMM_WORLD)};
  const std::vector<Job> jobs =
      plan_jobs(settings, place, [&](const std::string& text) { console.note(text); });

  const auto report = make_report(settings.format, output.stream());
  if (console.speaks()) report->begin(environment);
  Runner runner(settings, world, *memory, MPI_COMM_WORLD);
  Verdict verdict(settings.fail_below);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    console.progress(fmt::format("{}/{} {}", i + 1, jobs.size(), jobs[i].collective->name));
    const Row row = runner.measure(jobs[i]);
    console.progress("");
    if (console.speaks()) report->add(row);
    verdict.add(row);
  }
  if (console.speaks()) report->end();
  for (const std::string& line : verdict.lines()) console.note(line);
  return verdict.status();
}

}  // namespace

int bench_main(int argc, char** argv) {
  int rank = 0;
  int size = 1;
  check_mpi(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(MPI_COMM_WORLD, &size), "MPI_Comm_size");
  const Console console("tutti-bench", rank == 0);
  const Parsed parsed = parse(argc, argv, size);
  if (!parsed.settings) {
    if (console.speaks()) (parsed.status == 0 ? std::cout : std::cerr) << parsed.text << std::flush;
    return parsed.status;
  }
  return measure_all(*parsed.settings, console, argc, argv);
}

}  // namespace tutti::bench
