#pragma once

#include <cstddef>
#include <cstdint>

namespace tutti::fuzz {

/// Numbers that depend on the seed alone: every rank draws the same.
class Random {
 public:
  explicit Random(std::uint64_t seed) noexcept : state_(seed) {}

  std::uint64_t next() noexcept {
    std::uint64_t x = state_ += 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
  }
  std::size_t below(std::size_t limit) noexcept { return static_cast<std::size_t>(next() % limit); }
  int rank_of(int size) noexcept { return static_cast<int>(below(static_cast<std::size_t>(size))); }
  bool chance(unsigned percent) noexcept { return next() % 100 < percent; }
  template <class T, std::size_t n>
  T pick(const T (&choices)[n]) noexcept {
    return choices[below(n)];
  }

 private:
  std::uint64_t state_;
};

}  // namespace tutti::fuzz
