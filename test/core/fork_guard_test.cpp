#include "core/fork_guard.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tutti::test {
namespace {

// What the call returns in a forked child.
template <class Call>
int in_child(Call call) {
  const pid_t child = fork();
  if (child == 0) _exit(call());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(ForkGuard, CountsForksInTheChildAlone) {
  EXPECT_EQ(forks_since_start(), 0);
  EXPECT_EQ(in_child([] { return forks_since_start(); }), 1);
  EXPECT_EQ(in_child([] { return in_child([] { return forks_since_start(); }); }), 2);
  EXPECT_EQ(forks_since_start(), 0);
}

}  // namespace
}  // namespace tutti::test
