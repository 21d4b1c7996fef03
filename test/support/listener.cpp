#include "support/listener.hpp"

#include <mpi.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace tutti::test {
namespace {

// What the alarm handler prints: a handler may not allocate.
char alarm_text[512] = "";

extern "C" void on_alarm(int) {
  const auto written = write(STDERR_FILENO, alarm_text, std::strlen(alarm_text));
  _exit(written < 0 ? 125 : 124);
}

void broadcast_text(std::string& text) {
  int length = static_cast<int>(text.size());
  MPI_Bcast(&length, 1, MPI_INT, 0, MPI_COMM_WORLD);
  text.resize(static_cast<std::size_t>(length));
  MPI_Bcast(text.data(), length, MPI_CHAR, 0, MPI_COMM_WORLD);
}

}  // namespace

EndJobAtFailure::EndJobAtFailure(int rank, int size) : rank_(rank), size_(size) {
  const char* const seconds = std::getenv("RUN_MPI_ALARM");
  if (seconds == nullptr) return;
  signal(SIGALRM, on_alarm);
  alarm(static_cast<unsigned>(std::atoi(seconds)));
}

void EndJobAtFailure::OnTestStart(const testing::TestInfo& info) {
  test_ = std::string(info.test_suite_name()) + "." + info.name();
  std::snprintf(alarm_text, sizeof alarm_text, "rank %d of %d: time is up in %s\n", rank_, size_,
                test_.c_str());
}

void EndJobAtFailure::OnTestPartResult(const testing::TestPartResult& result) {
  if (!result.failed()) return;
  std::fflush(stdout);
  std::fprintf(stderr, "\nrank %d of %d: %s failed\n%s:%d\n%s\n", rank_, size_, test_.c_str(),
               result.file_name() != nullptr ? result.file_name() : "unknown file",
               result.line_number(), result.message());
  std::fflush(stderr);
  if (std::getenv("RUN_MPI_KEEP_GOING") != nullptr) return;
  // The launcher forwards output and ends the job through different channels.
  usleep(200000);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

void follow_rank_0(int rank, int size) {
  if (rank == 0 && GTEST_FLAG_GET(shuffle) && GTEST_FLAG_GET(random_seed) == 0)
    GTEST_FLAG_SET(random_seed, static_cast<std::int32_t>(std::time(nullptr) % 99999 + 1));
  std::string filter = GTEST_FLAG_GET(filter);
  broadcast_text(filter);
  int flags[] = {GTEST_FLAG_GET(shuffle), GTEST_FLAG_GET(random_seed), GTEST_FLAG_GET(repeat),
                 GTEST_FLAG_GET(also_run_disabled_tests)};
  MPI_Bcast(flags, 4, MPI_INT, 0, MPI_COMM_WORLD);
  GTEST_FLAG_SET(filter, filter);
  GTEST_FLAG_SET(shuffle, flags[0] != 0);
  GTEST_FLAG_SET(random_seed, flags[1]);
  GTEST_FLAG_SET(repeat, flags[2]);
  GTEST_FLAG_SET(also_run_disabled_tests, flags[3] != 0);

  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  if (rank != 0) {
    delete listeners.Release(listeners.default_result_printer());
    delete listeners.Release(listeners.default_xml_generator());
  }
  listeners.Append(new EndJobAtFailure(rank, size));
}

}  // namespace tutti::test
