#include "core/sight.hpp"

#include <array>

#include "core/text.hpp"

namespace tutti {

namespace {

std::uint64_t join(std::uint32_t low, std::uint32_t high) noexcept {
  return low | static_cast<std::uint64_t>(high) << 32U;
}
std::uint32_t low(std::uint64_t word) noexcept {
  return static_cast<std::uint32_t>(word);
}
std::uint32_t high(std::uint64_t word) noexcept {
  return static_cast<std::uint32_t>(word >> 32U);
}

}  // namespace

Sight sight_of(const Status& status) {
  Sight sight;
  sight.state = status.state.load(std::memory_order_acquire);
  sight.rank = status.rank.load(std::memory_order_relaxed);
  sight.calls = status.calls.load(std::memory_order_relaxed);
  sight.reached = status.reached.load(std::memory_order_relaxed);
  sight.step = status.step.load(std::memory_order_relaxed);
  sight.activity = status.load();
  sight.process = status.process.load(std::memory_order_relaxed);
  if (sight.state != Status::State::left) sight.process_state = look_at_process(sight.process);
  return sight;
}

std::string last_call(const Sight& sight) {
  if (sight.calls == 0) return "it has called nothing yet";
  return text(sight.state == Status::State::inside ? "it is in " : "its last was ",
              describe(unpack(sight.activity)), " (call ", sight.step, ')');
}

SightWords to_words(const Sight& sight) noexcept {
  const auto& activity = sight.activity.words;
  return {join(static_cast<std::uint32_t>(sight.rank), static_cast<std::uint32_t>(sight.state)),
          join(static_cast<std::uint32_t>(sight.process),
               static_cast<std::uint32_t>(sight.process_state)),
          sight.calls,
          sight.reached,
          sight.step,
          activity[0],
          activity[1],
          activity[2]};
}

Sight from_words(const SightWords& words) noexcept {
  return {static_cast<int>(low(words[0])),
          static_cast<Status::State>(high(words[0])),
          low(words[2]),
          words[3],
          words[4],
          {{words[5], words[6], words[7]}},
          static_cast<int>(low(words[1])),
          static_cast<ProcessState>(high(words[1]))};
}

}  // namespace tutti
