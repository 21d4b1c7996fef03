#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/activity.hpp"

namespace tutti::trace {

/// One call of a rank. Times are nanoseconds since 1970.
struct Call {
  std::uint64_t number = 0;
  std::uint64_t communicator = 0;
  std::uint64_t step = 0;  ///< the collective call that it is, or comes after
  std::int64_t begin = 0;
  std::int64_t end = 0;  ///< 0: none was seen
  int rank = 0;          ///< in the communicator
  int size = 1;
  Activity activity;
  std::string verb;
  std::string backend;
  std::string state;  ///< "begun", "done", "failed", "refused"

  bool without_operation() const { return verb == "split" || verb == "window"; }
  bool pending() const { return state == "begun"; }
  bool collective() const { return is_collective(activity.kind); }
  /// "all_reduce of 4 int32, sum"
  std::string words() const {
    Activity what = activity;
    if (without_operation()) what.group = no_group;
    return describe(what);
  }
};

/// What one process left.
struct Record {
  std::string file;
  std::string host;
  int process = 0;
  int world_rank = 0;
  int world_size = 1;
  std::int64_t opened = 0;
  std::int64_t alive = 0;  ///< when it was last seen running, apart from its calls
  std::string ended;       ///< "exit", "signal 15"; empty if it was killed, or still runs
  std::string last_error;
  std::vector<Call> calls;  ///< oldest first
};

/// The records of one job.
struct Job {
  std::vector<Record> records;        ///< by rank; one a rank at most
  std::vector<std::string> problems;  ///< files that could not be read, and why; those left out
};

/// @throws std::runtime_error saying what is wrong with the file.
Record read_ring(const std::filesystem::path& file);
Record read_json(const std::filesystem::path& file);

/// What can be read of a directory's files: a ring, or the JSON beside it where the ring is no
/// good. Of several jobs, the last one. @throws std::runtime_error if nothing can be read.
Job read_directory(const std::filesystem::path& directory);

}  // namespace tutti::trace
