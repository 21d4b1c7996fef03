// Random operations on random communicators: each gives the right data on all ranks, or the same
// clear error. The seed is printed; with it, --first and --cases one case comes again.
//   --seed N      default: from the clock
//   --seconds N   how long; default 10, and for ever with 0
//   --cases N     how many, instead of a time
//   --first N     the number of the first case
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "fuzz/case.hpp"
#include "fuzz/failure.hpp"
#include "fuzz/places.hpp"
#include "support/program.hpp"
#include "tutti/environment.hpp"

namespace {

using namespace tutti::fuzz;

constexpr std::uint64_t cases_of_an_epoch = 50;

struct Settings {
  std::uint64_t seed = 0;
  std::uint64_t seconds = 10;
  std::uint64_t cases = 0;
  std::uint64_t first = 0;
};

Settings settings_of(int argc, char** argv) {
  Settings settings;
  settings.seed = static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch() /
                                             std::chrono::milliseconds(1));
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    const std::uint64_t value = std::strtoull(argv[i + 1], nullptr, 10);
    if (name == "--seed")
      settings.seed = value;
    else if (name == "--seconds")
      settings.seconds = value;
    else if (name == "--cases")
      settings.cases = value;
    else if (name == "--first")
      settings.first = value;
    else
      fail("unknown option " + name);
  }
  MPI_Bcast(&settings, sizeof settings, MPI_BYTE, 0, MPI_COMM_WORLD);
  return settings;
}

Limits limits_from_environment() {
  Limits limits;
  const char* const max_count = std::getenv("TUTTI_MAX_COUNT");
  if (max_count != nullptr && std::atoll(max_count) < 1000) limits.largest_count = 3000;
  const char* const path = std::getenv("TUTTI_HOST_PATH");
  limits.device_percent = device_percent;
  limits.exact_reductions_only = path != nullptr && std::strcmp(path, "nccl") == 0;
  return limits;
}

class Run {
 public:
  explicit Run(const Settings& settings) : settings_(settings) {}

  std::uint64_t all() {
    std::uint64_t number = settings_.first;
    while (goes_on(number)) number = epoch(number);
    return number - settings_.first;
  }

 private:
  // Decided by rank 0, whose clock counts.
  bool goes_on(std::uint64_t number) const {
    int more = settings_.cases != 0 ? number < settings_.first + settings_.cases
                                    : settings_.seconds == 0 || passed() < settings_.seconds;
    MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return more != 0;
  }
  std::uint64_t passed() const {
    return static_cast<std::uint64_t>((std::chrono::steady_clock::now() - begin_) /
                                      std::chrono::seconds(1));
  }

  // Up to the end of the epoch, whose communicators depend on its number alone.
  std::uint64_t epoch(std::uint64_t number) {
    const std::uint64_t epoch = number / cases_of_an_epoch;
    watch(60);
    tell("making the communicators of case " + std::to_string(number) + again(number));
    Pool pool(Random(settings_.seed + epoch).next());
    std::uint64_t end = (epoch + 1) * cases_of_an_epoch;
    if (settings_.cases != 0) end = std::min(end, settings_.first + settings_.cases);
    for (; number < end; ++number) one(pool, number);
    return number;
  }

  void one(Pool& pool, std::uint64_t number) {
    Random random(settings_.seed * 1000003 + number);
    Member& member = pool[random.below(pool.size())];
    const std::uint64_t seed = random.next() + member.color;
    if (!member.communicator.valid()) return;
    watch(60);
    Case drawn(seed, member, limits_);
    tell("case " + std::to_string(number) + " " + drawn.text() + again(number));
    drawn.perform();
  }

  std::string again(std::uint64_t number) const {
    return "\nagain: --seed " + std::to_string(settings_.seed) + " --first " +
           std::to_string(number) + " --cases 1";
  }

  Settings settings_;
  Limits limits_ = limits_from_environment();
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace

int main(int argc, char** argv) {
  tutti::Environment environment(argc, argv);
  tutti::test::require_expected_size();
  const Settings settings = settings_of(argc, argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    std::printf("seed %llu\n", static_cast<unsigned long long>(settings.seed));
    std::fflush(stdout);
  }
  const std::uint64_t cases = Run(settings).all();
  if (rank == 0) std::printf("%llu cases\n", static_cast<unsigned long long>(cases));
  return 0;
}
