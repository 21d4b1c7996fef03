#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <chrono>
#include <exception>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "mpi/node/team.hpp"

namespace tutti::test {

using mpi::node::Team;

/// Zeroed memory for the lanes of `size` ranks, which forked children share too.
class Lanes {
 public:
  explicit Lanes(int size) : bytes_(Team::bytes_for_each * static_cast<std::size_t>(size)) {
    data_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (data_ == MAP_FAILED) throw std::bad_alloc();
  }
  Lanes(const Lanes&) = delete;
  Lanes& operator=(const Lanes&) = delete;
  ~Lanes() { munmap(data_, bytes_); }

  std::byte* data() const noexcept { return static_cast<std::byte*>(data_); }

 private:
  std::size_t bytes_;
  void* data_;
};

/// A team whose ranks are threads of this process. Messages call them 10, 11, ...
class ThreadTeam {
 public:
  explicit ThreadTeam(int size) : lanes_(size) {
    std::vector<int> names(static_cast<std::size_t>(size));
    std::iota(names.begin(), names.end(), 10);
    for (int r = 0; r < size; ++r)
      teams_.push_back(std::make_unique<Team>(lanes_.data(), r, names, abort_flag_));
    for (const auto& team : teams_) team->meet();
  }

  Team& team(int rank) { return *teams_[static_cast<std::size_t>(rank)]; }
  detail::AbortFlag& abort_flag() { return *abort_flag_; }

  /// `body(team)` on each rank. An exception is a failure of the test.
  template <class Body>
  void run(const Body& body) {
    std::vector<std::thread> threads;
    for (const auto& team : teams_)
      threads.emplace_back([&body, &rank = *team] {
        try {
          body(rank);
        } catch (const std::exception& error) {
          ADD_FAILURE() << "rank " << rank.rank() << ": " << error.what();
        }
      });
    for (std::thread& thread : threads) thread.join();
  }

 private:
  Lanes lanes_;
  std::shared_ptr<detail::AbortFlag> abort_flag_ = std::make_shared<detail::AbortFlag>();
  std::vector<std::unique_ptr<Team>> teams_;
};

/// Begins an operation that hangs for no longer than a test may.
inline void enter(Team& team, mpi::node::Signature signature) {
  team.enter(signature, Deadline::in(std::chrono::seconds(60)));
}

}  // namespace tutti::test
