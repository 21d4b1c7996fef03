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

/// What is done by one way or the other, half of the times with data that was just written: what a
/// reader has in its caches still it reads without the writer's.
class Trial {
 public:
  Trial(Team& team, Movement movement)
      : team_(team),
        exchanges_(movement == Movement::exchange),
        block_(exchanges_ ? exchanged_bytes / team.n() : gathered_block),
        mine_(exchanges_ ? block_ * team.n() : block_),
        all_(block_ * team.n()) {}

  std::chrono::nanoseconds by_slots(bool fresh) {
    const ByteBlocks blocks{BlockLayout(block_), 1};
    return time(fresh, [&] {
      if (exchanges_)
        all_to_all(team_, mine_.data(), blocks, all_.data(), blocks, block_);
      else
        all_gather(team_, mine_.data(), all_.data(), blocks);
    });
  }
  std::chrono::nanoseconds by_reading(Direct& direct, bool fresh) {
    return time(fresh, [&] {
      const bool done = exchanges_ ? direct.all_to_all(mine_.data(), all_.data(), block_)
                                   : direct.all_gather(mine_.data(), all_.data(),
                                                       ByteBlocks{BlockLayout(block_), 1});
      reads_ = done && reads_;
    });
  }
  bool reads() const noexcept { return reads_; }
  int rounds() const noexcept { return exchanges_ ? 4 : 10; }

 private:
  template <class Body>
  std::chrono::nanoseconds time(bool fresh, const Body& body) {
    if (fresh) std::fill(mine_.begin(), mine_.end(), std::byte{++written_});
    barrier(team_);
    const auto begin = std::chrono::steady_clock::now();
    body();
    return std::chrono::steady_clock::now() - begin;
  }

  static constexpr std::size_t gathered_block = 128 * 1024;
  static constexpr std::size_t exchanged_bytes = 1024 * 1024;
  Team& team_;
  bool exchanges_;
  bool reads_ = true;
  std::size_t block_;
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
// way is taken that loses less where it loses most. Reading where it is nearly a tie: most MPI
// libraries do that, and lose and win in the same places. Not where ranks share cores: there it
// lost to MPI.
bool reading_beats_slots(Team& team, Direct& direct, Movement movement) {
  Trial trial(team, movement);
  double loss_by_reading = 0;
  double loss_by_slots = 0;
  for (const bool fresh : {true, false}) {
    auto slots = std::chrono::nanoseconds::max();
    auto reading = slots;
    for (int round = 0; round < trial.rounds(); ++round) {
      slots = std::min(slots, trial.by_slots(fresh));
      reading = std::min(reading, trial.by_reading(direct, fresh));
    }
    const double ratio = static_cast<double>(reading.count()) / static_cast<double>(slots.count());
    loss_by_reading = std::max(loss_by_reading, ratio);
    loss_by_slots = std::max(loss_by_slots, 1 / ratio);
  }
  const double nearly = team.yields() ? 1 : 1.2;
  constexpr double per_mille = 1000;
  return sum_of(team, static_cast<std::int64_t>(per_mille *
                                                (nearly * loss_by_slots - loss_by_reading))) > 0 &&
         trial.reads();
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
