// Run by harness_test.sh, which asks for one of these at a time and expects it to end as it should.
#include <gtest/gtest.h>
#include <mpi.h>
#include <unistd.h>

#include <stdexcept>

#include "support/world.hpp"

namespace tutti::test {
namespace {

TEST(Harness, Passes) {
  meet();
}
TEST(Harness, PassesToo) {
  meet();
}

// The others wait for a rank that has left.
TEST(Harness, DISABLED_OneRankAsserts) {
  ASSERT_NE(rank(), size() - 1) << "seen on the last rank";
  meet();
}

TEST(Harness, DISABLED_OneRankThrows) {
  if (rank() == size() - 1) throw std::runtime_error("thrown on the last rank");
  meet();
}

TEST(Harness, DISABLED_OneRankHangs) {
  if (rank() == size() - 1) pause();
  meet();
}

}  // namespace
}  // namespace tutti::test
