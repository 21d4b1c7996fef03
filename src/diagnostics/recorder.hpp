#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "diagnostics/record_file.hpp"
#include "diagnostics/ticks.hpp"

namespace tutti {

/// The last calls of this process on all its communicators, in a file that outlives it
/// (TUTTI_RECORD). Recording is a few stores and two looks at the clock. Thread-safe.
class Recorder {
 public:
  /// The process' recorder, opened the first time that TUTTI_RECORD is set; null where it is not.
  /// @throws Error (invalid_argument) if the directory or the file cannot be made.
  static Recorder* instance(int world_rank, int world_size);
  /// Null unless it was opened.
  static Recorder* opened() noexcept;

  /// What a communicator puts into each of its records.
  struct Place {
    std::uint64_t communicator = 0;
    std::int32_t rank = 0;
    std::int32_t size = 1;
  };

  /// A new record; its number is for `end`.
  std::uint64_t begin(const Place& place, std::uint64_t step, Verb verb,
                      const PackedActivity& activity) noexcept {
    using namespace record_file;
    const std::uint64_t number = header_->newest.fetch_add(1, std::memory_order_relaxed) + 1;
    Record& record = at(number);
    record.number.store(0, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);  // the process may be killed anywhere
    record.communicator = place.communicator;
    record.step = step;
    record.end = 0;
    record.activity = activity;
    record.rank = place.rank;
    record.size = place.size;
    record.verb = verb;
    record.state.store(State::begun, std::memory_order_relaxed);
    record.begin = ticks_.now();
    record.number.store(number, std::memory_order_release);
    return number;
  }

  /// Nothing if newer records took its place.
  void end(std::uint64_t number, record_file::State state, std::string_view backend) noexcept {
    record_file::Record& record = at(number);
    if (record.number.load(std::memory_order_relaxed) != number) return;
    record.end = ticks_.now();
    backend.copy(record.backend, sizeof record.backend);
    record.state.store(state, std::memory_order_release);
  }

  /// Keeps the text of an error, and writes the readable copy.
  void note_error(std::string_view words) noexcept;
  /// The process is running: told now and then by the stall watch.
  void note_alive() noexcept;

  /// The readable copy, DIRECTORY/NAME.json. Safe in a signal handler.
  void write_json() noexcept;

 private:
  Recorder(const std::string& directory, int world_rank, int world_size);
  void open_file(const std::string& path);
  void fill_header(int world_rank, int world_size) noexcept;
  static void on_signal(int signal) noexcept;
  static void on_exit() noexcept;
  void catch_signals() noexcept;
  void note_end(const char* how, int number) noexcept;

  record_file::Anchor anchor() const noexcept { return {ticks_.now(), Ticks::wall_time()}; }
  record_file::Record& at(std::uint64_t number) noexcept {
    return records_[(number - 1) % record_file::capacity];
  }

  const Ticks ticks_;
  record_file::Header* header_ = nullptr;
  record_file::Record* records_ = nullptr;
  char json_path_[4096] = {};
};

}  // namespace tutti
