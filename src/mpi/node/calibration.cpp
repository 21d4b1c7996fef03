#include "mpi/node/calibration.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <vector>

#include "core/streaming_copy.hpp"
#include "mpi/node/direct.hpp"
#include "mpi/node/movement.hpp"
#include "mpi/node/pipeline.hpp"

namespace tutti::mpi::node {

namespace {

/// Hands two slots to the next rank and reads two of the one before.
class Exchange {
 public:
  explicit Exchange(Team& team)
      : team_(team),
        bytes_(part_bytes(1)),
        source_(std::make_unique<std::byte[]>(bytes_)),
        sink_(std::make_unique<std::byte[]>(bytes_)) {}

  template <class Copy>
  std::chrono::nanoseconds time(const Copy& copy) {
    barrier(team_);
    Channel& channel = team_.input();
    const int from = (team_.rank() + team_.size() - 1) % team_.size();
    const auto begin = std::chrono::steady_clock::now();
    for (const std::uint64_t step : {channel.take(1, bytes_), channel.take(1, bytes_)}) {
      team_.make_room(channel, step);
      copy(channel.data(team_.rank(), step), source_.get(), bytes_);
      team_.publish(channel, step);
      team_.await(channel, from, step);
      std::memcpy(sink_.get(), channel.data(from, step), bytes_);
      team_.finish(channel, step);
    }
    return std::chrono::steady_clock::now() - begin;
  }

 private:
  Team& team_;
  std::size_t bytes_;
  std::unique_ptr<std::byte[]> source_;
  std::unique_ptr<std::byte[]> sink_;
};

/// An all_gather by one way or the other, half of the times of data that was just written: what a
/// reader has in its caches still it reads without the writer's.
class Gathering {
 public:
  explicit Gathering(Team& team) : team_(team), mine_(block_bytes), all_(block_bytes * team.n()) {}

  template <class Way>
  std::chrono::nanoseconds time(bool fresh, const Way& way) {
    if (fresh) std::fill(mine_.begin(), mine_.end(), std::byte{++written_});
    barrier(team_);
    const auto begin = std::chrono::steady_clock::now();
    way(mine_.data(), all_.data(), ByteBlocks{BlockLayout(block_bytes), 1});
    return std::chrono::steady_clock::now() - begin;
  }

 private:
  static constexpr std::size_t block_bytes = 128 * 1024;
  Team& team_;
  std::vector<std::byte> mine_;
  std::vector<std::byte> all_;
  unsigned char written_ = 0;
};

/// The sum over all ranks.
std::int64_t sum_of(Team& team, std::int64_t mine) {
  std::int64_t sum = mine;
  tell_each_other(team, mine, [&](int, std::int64_t theirs) { sum += theirs; });
  return sum;
}

}  // namespace

// Which of the two programs do, with data just written or with the same again, is not known: so the
// way is taken that loses less where it loses most.
bool reading_beats_slots(Team& team, Direct& direct) {
  constexpr int rounds = 10;
  Gathering gathering(team);
  bool reads = true;
  double loss_by_reading = 0;
  double loss_by_slots = 0;
  for (const bool fresh : {true, false}) {
    auto slots = std::chrono::nanoseconds::max();
    auto reading = slots;
    for (int round = 0; round < rounds; ++round) {
      slots = std::min(
          slots, gathering.time(fresh, [&](auto... arguments) { all_gather(team, arguments...); }));
      reading = std::min(reading, gathering.time(fresh, [&](auto... arguments) {
        reads = direct.all_gather(arguments...) && reads;
      }));
    }
    const double ratio = static_cast<double>(reading.count()) / static_cast<double>(slots.count());
    loss_by_reading = std::max(loss_by_reading, ratio);
    loss_by_slots = std::max(loss_by_slots, 1 / ratio);
  }
  constexpr double per_mille = 1000;
  return sum_of(team, static_cast<std::int64_t>(per_mille * (loss_by_slots - loss_by_reading))) >
             0 &&
         reads;
}

bool streaming_reaches_sooner(Team& team) {
  Exchange exchange(team);
  auto cached = std::chrono::nanoseconds::max();
  auto streamed = std::chrono::nanoseconds::max();
  // The least of several: whatever disturbs makes it longer.
  for (int round = 0; round < 6; ++round) {
    cached = std::min(cached, exchange.time([](void* to, const void* from, std::size_t bytes) {
      std::memcpy(to, from, bytes);
    }));
    streamed = std::min(streamed, exchange.time(streaming_copy));
  }
  return streamed < cached;
}

}  // namespace tutti::mpi::node
