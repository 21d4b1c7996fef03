#pragma once

#include <utility>

#include "tutti/device.hpp"

struct CUevent_st;

namespace tutti::cuda {

using StreamHandle = CUstream_st*;
using EventHandle = CUevent_st*;

/// Marks a point on a stream; keeps no time. Made on the current device.
class Event {
 public:
  Event();
  Event(Event&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Event& operator=(Event&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Event();

  void record(StreamHandle stream);
  /// True once everything before the mark is done; also before the first `record`.
  bool done() const;
  /// What is put on `stream` from now on runs after the mark.
  void order(StreamHandle stream) const;

 private:
  EventHandle handle_ = nullptr;
};

/// Whether the legacy default stream orders a stream by itself.
enum class Legacy { ordered, apart };

/// A stream of the current device.
class Stream {
 public:
  explicit Stream(Legacy legacy);
  Stream(Stream&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Stream& operator=(Stream&&) = delete;
  ~Stream();

  StreamHandle handle() const noexcept { return handle_; }
  /// True once all that is on it is done.
  bool idle() const;

 private:
  StreamHandle handle_ = nullptr;
};

/// The legacy default stream of the current device.
StreamHandle legacy_stream() noexcept;
/// One of the handles that stand for a default stream: null, legacy, per-thread.
bool is_default_stream(StreamHandle stream) noexcept;
bool is_capturing(StreamHandle stream);

}  // namespace tutti::cuda
