// Scratch memory: kept from one use to the next, aligned for every type, apart from one another.
#include "mpi/schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "support/world.hpp"

namespace tutti::test {
namespace {

using mpi::Schedule;
using mpi::Scratch;
using mpi::StepKind;

TEST(Scratch, IsAlignedForEveryType) {
  Scratch scratch;
  for (const std::size_t bytes : {1U, 3U, 16U, 17U, 100U, 4097U, 1U << 20})
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(scratch.take(bytes)) % 16, 0U) << bytes;
}

TEST(Scratch, PiecesDoNotShareBytes) {
  Scratch scratch;
  std::vector<std::byte*> pieces;
  for (int i = 0; i < 20; ++i) pieces.push_back(scratch.take(100));
  for (std::size_t i = 0; i < 20; ++i) std::memset(pieces[i], static_cast<int>(i), 100);
  for (std::size_t i = 0; i < 20; ++i)
    EXPECT_TRUE(std::all_of(pieces[i], pieces[i] + 100,
                            [&](std::byte b) { return b == static_cast<std::byte>(i); }));
}

TEST(Scratch, IsUsedAgainAfterReset) {
  Scratch scratch;
  const std::byte* const first = scratch.take(1000);
  const std::byte* const second = scratch.take(10);
  scratch.reset();
  EXPECT_EQ(scratch.take(999), first);
  EXPECT_EQ(scratch.take(10), second);
  scratch.reset();
  EXPECT_EQ(scratch.take(1), first);
  std::memset(scratch.take(5000), 1, 5000);  // replaces the second, too small now
  scratch.reset();
  EXPECT_EQ(scratch.take(1000), first) << "growth of one piece leaves the others alone";
}

// AddressSanitizer ends the program where malloc would say no. GCC tells of it by a macro, Clang
// only when asked.
#ifdef __SANITIZE_ADDRESS__
#define TUTTI_ADDRESS_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TUTTI_ADDRESS_SANITIZER
#endif
#endif
#ifndef TUTTI_ADDRESS_SANITIZER
TEST(Scratch, TooMuchIsAnErrorThatTellsHowMuch) {
  Scratch scratch;
  const std::size_t bytes = std::size_t{1} << 60;
  const Failure failure = failure_of([&] { scratch.take(bytes); });
  EXPECT_EQ(failure.code, Errc::memory);
  EXPECT_NE(failure.text.find(std::to_string(bytes)), std::string::npos) << failure.text;
  scratch.reset();
  std::memset(scratch.take(100), 1, 100);
}
#endif

TEST(Steps, AreCollectiveOrMessagesOrLocal) {
  for (const StepKind kind : {StepKind::copy, StepKind::fold, StepKind::divide})
    EXPECT_TRUE(is_local(kind) && !is_message(kind));
  for (const StepKind kind : {StepKind::send, StepKind::receive})
    EXPECT_TRUE(is_message(kind) && !is_local(kind));
  for (const StepKind kind : {StepKind::broadcast, StepKind::exclusive_scan, StepKind::barrier})
    EXPECT_FALSE(is_message(kind) || is_local(kind));
}

TEST(Schedule, ClearForgetsStepsAndKeepsMemory) {
  Schedule schedule;
  const std::byte* const memory = schedule.scratch.take(64);
  schedule.steps.emplace_back().kind = StepKind::receive;
  schedule.ints = {1, 2};
  schedule.arrays = {nullptr};
  schedule.outs = {nullptr};
  schedule.clear();
  EXPECT_TRUE(schedule.steps.empty() && schedule.ints.empty() && schedule.arrays.empty() &&
              schedule.outs.empty());
  EXPECT_EQ(schedule.scratch.take(64), memory);
}

}  // namespace
}  // namespace tutti::test
