// TUTTI_LOG is read once a process, so that each test is a child of its own. Its standard error is
// a datagram socket, which keeps apart what is written by different calls of write.
#include "core/log.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace tutti::test {
namespace {

// What the call writes in a process with this TUTTI_LOG (null: not set), one entry for each write.
std::vector<std::string> written(const char* level, const std::function<void()>& call) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) != 0) return {"no socket"};
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    if (level != nullptr)
      setenv("TUTTI_LOG", level, 1);
    else
      unsetenv("TUTTI_LOG");
    call();
    _exit(0);
  }
  int status = 1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  close(ends[1]);
  std::vector<std::string> result;
  char buffer[8192];
  for (;;) {
    const auto length = recv(ends[0], buffer, sizeof buffer, MSG_DONTWAIT);
    if (length < 0) break;
    result.emplace_back(buffer, static_cast<std::size_t>(length));
  }
  close(ends[0]);
  return result;
}

constexpr LogLevel levels[] = {LogLevel::error, LogLevel::warn, LogLevel::info, LogLevel::debug,
                               LogLevel::trace};

void one_of_each() {
  for (const LogLevel level : levels) log(level, "something happened");
}

TEST(Log, WritesUpToTheLevelAskedFor) {
  const std::pair<const char*, std::size_t> asked[] = {{"off", 0},   {"error", 1}, {"warn", 2},
                                                       {"info", 3},  {"debug", 4}, {"trace", 5},
                                                       {nullptr, 2}, {"loud", 2}};
  for (const auto& [level, lines] : asked)
    EXPECT_EQ(written(level, one_of_each).size(), lines) << (level != nullptr ? level : "not set");
}

TEST(Log, EachMessageIsOneLineInOneWrite) {
  EXPECT_EQ(written("warn", one_of_each),
            (std::vector<std::string>{"tutti: error: something happened\n",
                                      "tutti: warning: something happened\n"}));
}

TEST(Log, TellsTheRankOnceItIsKnown) {
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  const auto lines = written("info", [] {
    log(LogLevel::info, "early");
    set_log_rank(3);
    log(LogLevel::info, "late");
  });
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0], "tutti: info: early\n");
  EXPECT_EQ(lines[1], "tutti: info: rank 3 on " + std::string(host) + ": late\n");
}

TEST(Log, SaysWhetherALevelIsOn) {
  EXPECT_TRUE(written("warn", [] {
                if (!log_enabled(LogLevel::error) || !log_enabled(LogLevel::warn) ||
                    log_enabled(LogLevel::info))
                  log(LogLevel::error, "wrong");
              }).empty());
}

TEST(Log, AClosedStandardErrorIsNoFailure) {
  EXPECT_TRUE(written("trace", [] {
                close(STDERR_FILENO);
                one_of_each();
              }).empty());
}

}  // namespace
}  // namespace tutti::test
