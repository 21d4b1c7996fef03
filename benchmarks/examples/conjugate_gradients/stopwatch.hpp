#pragma once

#include <chrono>

namespace cg {

/// Sums up the time that calls take.
class Stopwatch {
 public:
  template <class Call>
  decltype(auto) time(Call call) {
    const Lap lap(total_);
    return call();
  }

  double seconds() const { return std::chrono::duration<double>(total_).count(); }

 private:
  using Clock = std::chrono::steady_clock;

  class Lap {
   public:
    explicit Lap(Clock::duration& total) : total_(total) {}
    Lap(const Lap&) = delete;
    Lap& operator=(const Lap&) = delete;
    ~Lap() { total_ += Clock::now() - begin_; }

   private:
    Clock::duration& total_;
    Clock::time_point begin_ = Clock::now();
  };

  Clock::duration total_{};
};

}  // namespace cg
