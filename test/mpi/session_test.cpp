// Case 80: tags of the library's own stay within what MPI allows, however long a job runs.
#include "mpi/session.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "support/world.hpp"

namespace tutti::test {
namespace {

int tag_limit() {
  void* value = nullptr;
  int found = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &found);
  return found != 0 ? *static_cast<int*>(value) : 32767;
}

TEST(Session, TagsStayInBoundsForTenMillionOperations) {
  mpi::Session session(MPI_COMM_WORLD, Options{}, std::nullopt);
  int least = session.next_tag(), largest = least;
  for (int i = 0; i < 10'000'000; ++i) {
    const int tag = session.next_tag();
    least = std::min(least, tag);
    largest = std::max(largest, tag);
  }
  EXPECT_LE(largest, tag_limit());
  EXPECT_GT(least, session.largest_user_tag()) << "the library's tags meet the user's";
  EXPECT_GE(session.largest_user_tag(), 16383) << "MPI promises 32767; half of it is the user's";
}

TEST(Session, KnowsItsRanks) {
  const mpi::Session session(MPI_COMM_WORLD, Options{}, std::nullopt);
  EXPECT_EQ(session.rank(), rank());
  EXPECT_EQ(session.size(), size());
  EXPECT_EQ(session.node_size(), size());
}

// One rank's failure is every rank's, with the rank's own words.
TEST(Session, OutcomesAreAgreed) {
  const mpi::Session session(MPI_COMM_WORLD, Options{}, std::nullopt);
  std::optional<Error> none, mine;
  session.agree(none);
  const int guilty = size() - 1;
  if (rank() == guilty) mine.emplace(Errc::library, "no such thing as libnothing.so");
  const Failure failure = agreed_failure_of([&] { session.agree(mine); });
  EXPECT_EQ(failure.code, Errc::library);
  EXPECT_NE(failure.text.find("libnothing.so"), std::string::npos) << failure.text;
  EXPECT_NE(failure.text.find("rank " + std::to_string(guilty)), std::string::npos) << failure.text;
}

TEST(Session, AFailureBeforehandKeepsEveryRankOut) {
  std::optional<Error> mine;
  if (rank() == 0) mine.emplace(Errc::invalid_argument, "bad value");
  const Failure failure =
      agreed_failure_of([&] { mpi::Session session(MPI_COMM_WORLD, Options{}, mine); });
  EXPECT_EQ(failure.code, Errc::invalid_argument);
}

}  // namespace
}  // namespace tutti::test
