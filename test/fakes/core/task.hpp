#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace fake {

/** One piece of stream work. Runs once, on its stream's worker, after everything in `after`. */
class Task {
 public:
  using Body = std::function<void()>;

  /** A marker (no body) takes no time of its own: event records and waits. */
  Task(Body body, std::vector<std::shared_ptr<Task>> after)
      : body_(std::move(body)), after_(std::move(after)) {}

  void run();
  bool done() const;
  void wait() const;
  std::chrono::steady_clock::time_point finished() const;

 private:
  Body body_;
  std::vector<std::shared_ptr<Task>> after_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  bool done_ = false;
  std::chrono::steady_clock::time_point finished_;
};

using TaskPtr = std::shared_ptr<Task>;

/**
 * Makes the task's body. Called once for an eager submission, and at each launch of a graph that
 * captured it, in the launching thread.
 */
using Work = std::function<Task::Body()>;

}  // namespace fake
