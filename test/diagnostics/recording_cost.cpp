// What TUTTI_RECORD adds to a small operation on host memory: two communicators of one process,
// made before and after the variable is set, take turns at an all_reduce of 8 bytes.
// Usage: recording_cost DIRECTORY [NANOSECONDS, which the median must not exceed]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "support/program.hpp"
#include "tutti/environment.hpp"

using namespace tutti::test;

namespace {

constexpr int rounds = 400;
constexpr int calls = 1000;

/// Of one call, on the slowest rank, in nanoseconds.
double time_of_call(const tutti::Communicator& communicator) {
  double value = 1;
  const std::span<double> data(&value, 1);
  communicator.all_reduce(data, tutti::max);
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < calls; ++i) communicator.all_reduce(data, tutti::max);
  const std::chrono::duration<double, std::nano> passed = std::chrono::steady_clock::now() - begin;
  double slowest = passed.count();
  MPI_Allreduce(MPI_IN_PLACE, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return slowest / calls;
}

double median(std::vector<double>& values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void print(const char* what, const std::vector<double>& sorted) {
  const auto at = [&](double part) {
    return sorted[static_cast<std::size_t>(part * static_cast<double>(sorted.size() - 1))];
  };
  std::printf("%-12s %8.1f %8.1f %8.1f %8.1f %8.1f\n", what, at(0), at(.25), at(.5), at(.75),
              at(1));
}

}  // namespace

int main(int argc, char** argv) {
  require(argc > 1, "usage: recording_cost DIRECTORY [NANOSECONDS]");
  unsetenv("TUTTI_RECORD");
  tutti::Environment environment(argc, argv);
  require_expected_size();
  const tutti::Communicator without(MPI_COMM_WORLD);
  setenv("TUTTI_RECORD", argv[1], 1);
  const tutti::Communicator with(MPI_COMM_WORLD);

  std::vector<double> times_without, times_with, added;
  for (int round = 0; round < rounds; ++round) {
    const bool first = round % 2 == 0;
    const double one = time_of_call(first ? without : with);
    const double other = time_of_call(first ? with : without);
    times_without.push_back(first ? one : other);
    times_with.push_back(first ? other : one);
    added.push_back(times_with.back() - times_without.back());
  }
  static_cast<void>(median(times_without));
  static_cast<void>(median(times_with));
  const double cost = median(added);
  if (with.rank() == 0) {
    std::printf("ns a call         min      25%%   median      75%%      max\n");
    print("without", times_without);
    print("with", times_with);
    print("added", added);
  }
  if (argc > 2) require(cost <= std::atof(argv[2]), "recording takes more than that");
  return 0;
}
