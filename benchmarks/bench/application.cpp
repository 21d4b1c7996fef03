#include "bench/application.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <iostream>

#include "bench/output.hpp"
#include "bench/planner.hpp"
#include "bench/report.hpp"
#include "bench/runner.hpp"
#include "bench/tuner.hpp"
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

std::unique_ptr<Memory> memory_for(const Settings& settings, const Communicator& communicator) {
  if (settings.memory == MemoryKind::device) return make_device_memory(communicator);
  return settings.buffer ? make_buffer_memory() : make_ordinary_memory();
}

int measure_all(const Settings& settings, const Console& console, int argc, char** argv) {
  Options options;
  // A benchmark of messages alone would otherwise never join NCCL.
  if (settings.memory == MemoryKind::device) options.join = NcclJoin::eager;
  const Communicator world(MPI_COMM_WORLD, options);
  const auto memory = memory_for(settings, world);
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
  if (!parsed.settings->tune.empty()) {
    tune(*parsed.settings, console, job_environment(MPI_COMM_WORLD, argc, argv));
    return 0;
  }
  return measure_all(*parsed.settings, console, argc, argv);
}

}  // namespace tutti::bench
