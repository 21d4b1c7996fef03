#pragma once

#include <cstdint>
#include <string>

#include "core/activity.hpp"
#include "core/process_state.hpp"
#include "core/status.hpp"

namespace tutti {

/// What a rank of the same node saw of another one, at a glance.
struct Sight {
  int rank = 0;
  Status::State state = Status::State::outside;
  std::uint32_t calls = 0;
  std::uint64_t reached = 0;
  std::uint64_t step = 0;
  PackedActivity activity{};
  int process = 0;
  ProcessState process_state = ProcessState::running;
};

/// Looks at the process too, unless the rank has left.
Sight sight_of(const Status& status);

/// "its last was all_reduce of 4 int32, sum (call 10)"
std::string last_call(const Sight& sight);

/// A Sight as a message between ranks carries it.
using SightWords = std::array<std::uint64_t, 8>;
SightWords to_words(const Sight& sight) noexcept;
Sight from_words(const SightWords& words) noexcept;

}  // namespace tutti
