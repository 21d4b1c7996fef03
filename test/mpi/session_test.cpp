// Case 80: tags of the library's own stay within what MPI allows, however long a job runs.
#include "mpi/session.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>

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
  EXPECT_EQ(largest, tag_limit());
  EXPECT_EQ(least, tag_limit() - 4095);
  EXPECT_EQ(session.largest_user_tag(), least - 2) << "one between them is that of inquiries";
  EXPECT_GE(session.largest_user_tag(), 16383) << "MPI promises 32767; half of it is the user's";
}

// Messages of operations that are under way together must not be taken for one another.
TEST(Session, FourThousandTagsInARowDiffer) {
  mpi::Session session(MPI_COMM_WORLD, Options{}, std::nullopt);
  std::set<int> tags;
  for (int i = 0; i < 4096; ++i) tags.insert(session.next_tag());
  EXPECT_EQ(tags.size(), 4096U);
  EXPECT_TRUE(same_on_all_ranks(static_cast<std::uint64_t>(session.next_tag())));
}

TEST(Session, KnowsItsRanks) {
  mpi::Session session(MPI_COMM_WORLD, Options{}, std::nullopt);
  EXPECT_EQ(session.rank(), rank());
  EXPECT_EQ(session.size(), size());
  EXPECT_EQ(session.node_size(), size());
}

// One rank's failure is every rank's, with the rank's own words.
TEST(Session, OutcomesAreAgreed) {
  mpi::Session session(MPI_COMM_WORLD, Options{}, std::nullopt);
  std::optional<Error> none, mine;
  session.agree(none);
  const int guilty = size() - 1;
  if (rank() == guilty) mine.emplace(Errc::library, "no such thing as libnothing.so");
  const Failure failure = agreed_failure_of([&] { session.agree(mine); });
  EXPECT_EQ(failure.code, Errc::library);
  EXPECT_NE(failure.text.find("libnothing.so"), std::string::npos) << failure.text;
  EXPECT_NE(failure.text.find("rank " + std::to_string(guilty)), std::string::npos) << failure.text;
}

TEST(Session, OfSeveralFailuresTheLowestRanksIsTold) {
  mpi::Session session(MPI_COMM_WORLD, Options{}, std::nullopt);
  for (int guilty = 0; guilty < size(); ++guilty) {
    std::optional<Error> mine;
    if (rank() >= guilty) mine.emplace(Errc::memory, "no room on " + std::to_string(rank()));
    const Failure failure = agreed_failure_of([&] { session.agree(mine); });
    EXPECT_EQ(failure.code, Errc::memory);
    const std::string told = std::to_string(guilty);
    EXPECT_NE(failure.text.find("rank " + told + ": no room on " + told), std::string::npos)
        << failure.text;
  }
}

TEST(Session, ACauseOfAnyLengthIsToldWhole) {
  mpi::Session session(MPI_COMM_WORLD, Options{}, std::nullopt);
  for (const std::size_t length : {std::size_t{0}, std::size_t{100'000}}) {
    std::optional<Error> mine;
    if (rank() == 0) mine.emplace(Errc::nccl, std::string(length, '~'));
    const Failure failure = agreed_failure_of([&] { session.agree(mine); });
    EXPECT_EQ(std::count(failure.text.begin(), failure.text.end(), '~'),
              static_cast<std::ptrdiff_t>(length));
  }
}

// Each option by itself; the ranks that differ, and how, are told on all of them.
TEST(Session, OptionsThatDifferAreRefusedOnAllRanks) {
  if (size() < 2) GTEST_SKIP() << "takes two ranks to differ";
  const std::pair<const char*, std::function<void(Options&)>> changes[] = {
      {"timeout", [](Options& o) { o.timeout = std::chrono::minutes(2); }},
      {"check", [](Options& o) { o.check = Check::none; }},
      {"nccl", [](Options& o) { o.nccl = NcclPolicy::never; }},
      {"join", [](Options& o) { o.join = NcclJoin::eager; }},
      {"fallback", [](Options& o) { o.fallback = Fallback::forbid; }},
      {"host_path", [](Options& o) { o.host_path = HostPath::mpi; }},
      {"deterministic", [](Options& o) { o.deterministic = true; }},
      {"max_count", [](Options& o) { o.max_count = 7; }}};
  const std::string odd = std::to_string(size() - 1);
  for (const auto& [name, change] : changes) {
    Options options;
    options.timeout = std::chrono::minutes(1);
    if (rank() == size() - 1) change(options);
    const Failure failure =
        agreed_failure_of([&] { mpi::Session session(MPI_COMM_WORLD, options, std::nullopt); });
    EXPECT_EQ(failure.code, Errc::mismatch);
    EXPECT_NE(failure.text.find(std::string("Options::") + name), std::string::npos)
        << failure.text;
    EXPECT_NE(failure.text.find("on rank 0"), std::string::npos) << failure.text;
    EXPECT_NE(failure.text.find("on rank " + odd), std::string::npos) << failure.text;
  }
}

TEST(Session, SplitsByColourAndOrdersByKey) {
  mpi::Session world(MPI_COMM_WORLD, Options{}, std::nullopt);
  const auto turned = mpi::Session::split(world, 0, -rank());
  ASSERT_NE(turned, nullptr);
  EXPECT_EQ(turned->size(), size());
  EXPECT_EQ(turned->rank(), size() - 1 - rank());
  const auto halves = mpi::Session::split(world, rank() == 0 ? -1 : 5, 0);
  EXPECT_EQ(halves == nullptr, rank() == 0);
  if (halves != nullptr) {
    EXPECT_EQ(halves->size(), size() - 1);
    EXPECT_EQ(halves->rank(), rank() - 1);
  }
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
