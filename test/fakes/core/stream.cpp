#include "core/stream.hpp"

#include <signal.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <thread>

#include "core/device.hpp"
#include "core/registry.hpp"

namespace fake {
namespace {

unsigned long long next_id() {
  static std::atomic<unsigned long long> next{1};
  return next.fetch_add(1);
}

struct Streams {
  Registry<Stream> handles;
  std::mutex mutex;
  std::vector<StreamPtr> all;  // destroyed ones stay while they have work
  std::map<int, StreamPtr> legacy;
};

Streams& streams() {
  static auto* instance = new Streams;
  return *instance;
}

StreamPtr legacy_stream(int device) {
  {
    const std::lock_guard lock(streams().mutex);
    const auto found = streams().legacy.find(device);
    if (found != streams().legacy.end()) return found->second;
  }
  auto stream = create_stream(Stream::Kind::legacy, device, cudaStreamDefault, 0);
  const std::lock_guard lock(streams().mutex);
  return streams().legacy.emplace(device, stream).first->second;
}

/** Ends the worker of a thread's own default streams together with the thread. */
struct PerThreadStreams {
  std::map<int, StreamPtr> by_device;
  ~PerThreadStreams() {
    for (auto& entry : by_device) entry.second->close();
  }
};

StreamPtr per_thread_stream(int device) {
  thread_local PerThreadStreams mine;
  auto& stream = mine.by_device[device];
  if (!stream) stream = create_stream(Stream::Kind::per_thread, device, cudaStreamDefault, 0);
  return stream;
}

bool pending(const StreamPtr& stream) {
  return stream->tail && !stream->tail->done();
}

/** What legacy default stream semantics add to the order of the stream itself. */
std::vector<TaskPtr> implicit_order(const StreamPtr& stream) {
  std::vector<TaskPtr> after;
  if (stream->kind() != Stream::Kind::legacy && !stream->blocking()) return after;
  const bool legacy = stream->kind() == Stream::Kind::legacy;
  for (const auto& other : streams_of(stream->device())) {
    const bool relevant = legacy ? other->blocking() : other->kind() == Stream::Kind::legacy;
    if (relevant && pending(other)) after.push_back(other->tail);
  }
  return after;
}

}  // namespace

Stream::Stream(Kind kind, int device, unsigned flags, int priority)
    : kind_(kind), device_(device), flags_(flags), priority_(priority), id_(next_id()) {}

void Stream::push(TaskPtr task) {
  const std::lock_guard lock(mutex_);
  tail = task;
  queue_.push_back(std::move(task));
  if (!started_) {
    started_ = true;
    // Detached: a task may wait for a peer that never comes, and must not keep the process alive.
    std::thread([self = shared_from_this()] { self->work(); }).detach();
  }
  changed_.notify_one();
}

void Stream::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  changed_.notify_one();
}

void Stream::work() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);  // signals belong to the application's threads
  for (;;) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return closed_ || !queue_.empty(); });
    if (queue_.empty()) return;
    const TaskPtr task = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    task->run();
  }
}

std::mutex& engine_mutex() {
  static auto* mutex = new std::mutex;
  return *mutex;
}

StreamPtr create_stream(Stream::Kind kind, int device, unsigned flags, int priority) {
  auto stream = std::make_shared<Stream>(kind, device, flags, priority);
  if (kind == Stream::Kind::created) streams().handles.add(stream);
  const std::lock_guard lock(streams().mutex);
  auto& all = streams().all;
  all.erase(std::remove_if(all.begin(), all.end(),
                           [](const StreamPtr& old) {
                             return old->kind() != Stream::Kind::legacy && old.use_count() == 1;
                           }),
            all.end());
  all.push_back(stream);
  return stream;
}

cudaError_t destroy_stream(cudaStream_t handle) {
  const StreamPtr stream = streams().handles.take(handle);
  if (!stream) return cudaErrorInvalidResourceHandle;
  {
    const std::lock_guard lock(engine_mutex());
    if (stream->capture) stream->capture->invalid = true;
  }
  stream->close();
  return cudaSuccess;
}

StreamPtr find_stream(cudaStream_t handle) {
  return find_stream(handle, current_device());
}

StreamPtr find_stream(cudaStream_t handle, int device) {
  if (handle == nullptr || handle == cudaStreamLegacy) return legacy_stream(device);
  if (handle == cudaStreamPerThread) return per_thread_stream(device);
  return streams().handles.find(handle);
}

std::vector<StreamPtr> streams_of(int device) {
  std::vector<StreamPtr> found;
  const std::lock_guard lock(streams().mutex);
  for (const auto& stream : streams().all) {
    if (stream->device() == device) found.push_back(stream);
  }
  return found;
}

TaskPtr push_locked(const StreamPtr& stream, Task::Body body, std::vector<TaskPtr> after) {
  for (auto& task : implicit_order(stream)) after.push_back(std::move(task));
  auto task = std::make_shared<Task>(std::move(body), std::move(after));
  stream->push(task);
  return task;
}

cudaError_t check_implicit_locked(const StreamPtr& stream) {
  if (stream->kind() != Stream::Kind::legacy) return cudaSuccess;
  cudaError_t error = cudaSuccess;
  for (const auto& other : streams_of(stream->device())) {
    if (!other->capture || !other->blocking()) continue;
    other->capture->invalid = true;
    error = cudaErrorStreamCaptureImplicit;
  }
  return error;
}

cudaError_t submit(const StreamPtr& stream, const Work& work) {
  const std::lock_guard lock(engine_mutex());
  if (stream->capture) {
    if (stream->capture->invalid) return cudaErrorStreamCaptureInvalidated;
    stream->capture_after = {stream->capture->graph->add(work, stream->capture_after)};
    return cudaSuccess;
  }
  const cudaError_t error = check_implicit_locked(stream);
  if (error == cudaSuccess) push_locked(stream, work(), {});
  return error;
}

cudaError_t synchronize_stream(const StreamPtr& stream) {
  TaskPtr last;
  {
    const std::lock_guard lock(engine_mutex());
    if (stream->capture) {
      stream->capture->invalid = true;
      return cudaErrorStreamCaptureUnsupported;
    }
    const cudaError_t error = check_implicit_locked(stream);
    if (error != cudaSuccess) return error;
    // A marker rather than the tail: the legacy stream waits for the blocking ones as well.
    last = push_locked(stream, nullptr, {});
  }
  last->wait();
  return cudaSuccess;
}

cudaError_t query_stream(const StreamPtr& stream) {
  const std::lock_guard lock(engine_mutex());
  if (stream->capture) {
    stream->capture->invalid = true;
    return cudaErrorStreamCaptureUnsupported;
  }
  const cudaError_t error = check_implicit_locked(stream);
  if (error != cudaSuccess) return error;
  if (pending(stream)) return cudaErrorNotReady;
  if (stream->kind() != Stream::Kind::legacy) return cudaSuccess;
  return implicit_order(stream).empty() ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t synchronize_device(int device) {
  std::vector<TaskPtr> tails;
  {
    const std::lock_guard lock(engine_mutex());
    for (const auto& stream : streams_of(device)) {
      if (stream->capture) {
        stream->capture->invalid = true;
        return cudaErrorStreamCaptureUnsupported;
      }
      if (stream->tail) tails.push_back(stream->tail);
    }
  }
  for (const auto& tail : tails) tail->wait();
  return cudaSuccess;
}

}  // namespace fake
