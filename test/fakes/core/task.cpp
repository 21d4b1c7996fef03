#include "core/task.hpp"

#include <thread>

#include "core/script.hpp"

namespace fake {
namespace {

std::chrono::microseconds delay() {
  static const auto us = Script::get().setting("slow", "us").value_or(50);
  return std::chrono::microseconds(us);
}

}  // namespace

void Task::run() {
  for (const auto& task : after_) task->wait();
  after_.clear();
  if (body_) {
    // The caller gets a head start, so that a missing synchronisation reads old data.
    std::this_thread::sleep_for(delay());
    body_();
    body_ = nullptr;
  }
  const std::lock_guard lock(mutex_);
  finished_ = std::chrono::steady_clock::now();
  done_ = true;
  changed_.notify_all();
}

bool Task::done() const {
  const std::lock_guard lock(mutex_);
  return done_;
}

void Task::wait() const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return done_; });
}

std::chrono::steady_clock::time_point Task::finished() const {
  const std::lock_guard lock(mutex_);
  return finished_;
}

}  // namespace fake
