#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "diagnostics/record_file.hpp"
#include "diagnostics/ticks.hpp"

namespace tutti {

/// The last calls of this process on all its communicators, in a file that outlives it
/// (TUTTI_RECORD). Recording is a few stores and two looks at the clock. Thread-safe, as far as
/// MPI's thread level lets several threads call.
class Recorder {
 public:
  /// The process' recorder, opened the first time that TUTTI_RECORD is set; null where it is not.
  /// `threads_compete`: several threads may record at the same time.
  /// @throws Error (invalid_argument) if the directory or the file cannot be made.
  static Recorder* instance(int world_rank, int world_size, bool threads_compete);
  /// Null unless it was opened.
  static Recorder* opened() noexcept;

  /// What a communicator puts into each of its records.
  struct Place {
    std::uint64_t communicator = 0;
    std::int32_t rank = 0;
    std::int32_t size = 1;
  };

  /// A new record; its number is for `end`. 0: there is none, because another thread, which all
  /// others have overtaken by the length of the ring, is still writing in its place.
  std::uint64_t begin(const Place& place, std::uint64_t step, Verb verb,
                      const PackedActivity& activity) noexcept {
    using namespace record_file;
    const std::int64_t now = ticks_.now();
    const std::uint64_t number = next_number();
    Record& record = at(number);
    if (!claim(record, number)) [[unlikely]]
      return 0;
    std::atomic_signal_fence(std::memory_order_seq_cst);  // the process may be killed anywhere
    record.communicator = place.communicator;
    record.step = step;
    record.end.store(0, std::memory_order_relaxed);
    record.activity = activity;
    record.rank = place.rank;
    record.size = place.size;
    record.course.store(Course::begun(verb), std::memory_order_relaxed);
    record.begin = now;
    record.number.store(number, std::memory_order_release);
    // There by the next call, whose messages would wait in the processor behind what it records.
    const auto* const next = reinterpret_cast<const char*>(&at(number + 1));
    __builtin_prefetch(next, 1);
    __builtin_prefetch(next + sizeof record - 1, 1);
    return number;
  }

  /// Nothing if newer records took its place.
  void served_by(std::uint64_t number, record_file::BackendName backend) noexcept {
    record_file::Record& record = at(number);
    if (record.number.load(std::memory_order_relaxed) != number) return;
    const std::uint64_t course = record.course.load(std::memory_order_relaxed);
    record.course.store(record_file::Course::served_by(course, backend), std::memory_order_relaxed);
  }

  /// Nothing if newer records took its place.
  void end(std::uint64_t number, record_file::State state) noexcept {
    record_file::Record& record = at(number);
    if (record.number.load(std::memory_order_relaxed) != number) return;
    record.end.store(ticks_.now(), std::memory_order_relaxed);
    const std::uint64_t course = record.course.load(std::memory_order_relaxed);
    record.course.store(record_file::Course::ended(course, state), std::memory_order_release);
  }

  /// Keeps the text of an error, and writes the readable copy.
  void note_error(std::string_view words) noexcept;
  /// The process is running: told now and then by the stall watch.
  void note_alive() noexcept;

  /// The readable copy, DIRECTORY/NAME.json. Safe in a signal handler.
  void write_json() noexcept;

 private:
  Recorder(const std::string& directory, int world_rank, int world_size, bool threads_compete);
  void open_file(const std::string& path);
  void fill_header(int world_rank, int world_size) noexcept;
  static void on_signal(int signal) noexcept;
  static void on_exit() noexcept;
  void catch_signals() noexcept;
  void note_end(const char* how, int number) noexcept;

  record_file::Anchor anchor() const noexcept { return {ticks_.now(), Ticks::wall_time()}; }
  // Where one thread at a time calls, a locked instruction would be a fifth of what recording
  // takes: it waits until all stores before it are done.
  std::uint64_t next_number() noexcept {
    std::atomic<std::uint64_t>& newest = header_->newest;
    if (threads_compete_) return newest.fetch_add(1, std::memory_order_relaxed) + 1;
    const std::uint64_t number = newest.load(std::memory_order_relaxed) + 1;
    newest.store(number, std::memory_order_relaxed);
    return number;
  }
  bool claim(record_file::Record& record, std::uint64_t number) const noexcept {
    if (threads_compete_)
      return record.number.exchange(0, std::memory_order_acquire) != 0 ||
             number <= record_file::capacity;
    record.number.store(0, std::memory_order_relaxed);
    return true;
  }
  record_file::Record& at(std::uint64_t number) noexcept {
    return records_[(number - 1) % record_file::capacity];
  }

  const Ticks ticks_;
  const bool threads_compete_;
  record_file::Header* header_ = nullptr;
  record_file::Record* records_ = nullptr;
  char json_path_[4096] = {};
};

}  // namespace tutti
