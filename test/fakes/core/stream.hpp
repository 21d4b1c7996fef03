#pragma once

#include "core/cuda_api.hpp"

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "core/capture.hpp"
#include "core/task.hpp"

namespace fake {

/** A queue with a worker thread of its own, which starts with the first task. */
class Stream : public std::enable_shared_from_this<Stream> {
 public:
  enum class Kind { created, legacy, per_thread };

  Stream(Kind kind, int device, unsigned flags, int priority);

  Kind kind() const { return kind_; }
  int device() const { return device_; }
  unsigned flags() const { return flags_; }
  int priority() const { return priority_; }
  unsigned long long id() const { return id_; }
  bool blocking() const { return kind_ != Kind::legacy && (flags_ & cudaStreamNonBlocking) == 0; }

  /** Appends; the engine lock is held. */
  void push(TaskPtr task);

  /** The worker ends when the queue is empty; what is queued still runs. */
  void close();

  // Guarded by the engine lock.
  TaskPtr tail;
  std::shared_ptr<Capture> capture;
  std::vector<std::size_t> capture_after;

 private:
  void work();

  const Kind kind_;
  const int device_;
  const unsigned flags_;
  const int priority_;
  const unsigned long long id_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<TaskPtr> queue_;
  bool started_ = false;
  bool closed_ = false;
};

using StreamPtr = std::shared_ptr<Stream>;

/** Guards stream tails, captures and event states: one lock, because submissions cross streams. */
std::mutex& engine_mutex();

StreamPtr create_stream(Stream::Kind kind, int device, unsigned flags, int priority);
cudaError_t destroy_stream(cudaStream_t handle);

/**
 * Resolves the null, legacy and per-thread handles too, on the current device; null for one that
 * does not exist.
 */
StreamPtr find_stream(cudaStream_t handle);
StreamPtr find_stream(cudaStream_t handle, int device);

/** All streams of a device that may still have work. */
std::vector<StreamPtr> streams_of(int device);

/** Queues work, or adds it to the graph that the stream is capturing. */
cudaError_t submit(const StreamPtr& stream, const Work& work);

/** As submit() for eager work, with further tasks to wait for. The engine lock is held. */
TaskPtr push_locked(const StreamPtr& stream, Task::Body body, std::vector<TaskPtr> after);

/** Fails and spoils captures where legacy-stream work would implicitly join one. Lock held. */
cudaError_t check_implicit_locked(const StreamPtr& stream);

cudaError_t synchronize_stream(const StreamPtr& stream);
cudaError_t query_stream(const StreamPtr& stream);
cudaError_t synchronize_device(int device);

}  // namespace fake
