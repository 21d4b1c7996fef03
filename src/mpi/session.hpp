#pragma once

#include <mpi.h>

#include <memory>
#include <optional>

#include "core/abort_flag.hpp"
#include "tutti/backend.hpp"
#include "tutti/error.hpp"
#include "tutti/options.hpp"

namespace tutti::mpi {

/// The private duplicate of a communicator and what every rank knows of it. Errors come back as
/// codes there, whatever handler the application's communicator has. Frees the duplicate unless MPI
/// is finalised.
class Session {
 public:
  /// Collective over `parent`. `failure` is what went wrong on this rank before: the outcome is
  /// agreed, so that all ranks have a session or all throw the same error.
  Session(MPI_Comm parent, const Options& options, const std::optional<Error>& failure);
  /// The ranks of one colour, by key; null for a negative colour. Collective over `parent`.
  static std::shared_ptr<Session> split(const Session& parent, int color, int key);

  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  MPI_Comm comm() const noexcept { return comm_; }
  int rank() const noexcept { return rank_; }
  int size() const noexcept { return size_; }
  int node_rank() const noexcept { return node_rank_; }
  int node_size() const noexcept { return node_size_; }
  /// The same in the communicator that this one was split from in the end: what a device is chosen
  /// by, so that a process has one device whatever it splits.
  int local_rank() const noexcept { return local_rank_; }
  int local_size() const noexcept { return local_size_; }
  /// MPI's thread level.
  int thread_level() const noexcept { return thread_level_; }
  const Options& options() const noexcept { return options_; }

  /// The largest tag of the user's own messages; those above are the library's.
  int largest_user_tag() const noexcept { return largest_user_tag_; }
  /// A tag for one collective operation's own messages. Every rank asks in the same order.
  int next_tag() noexcept;

  /// Shared with abort handles, which may outlive the session.
  const std::shared_ptr<detail::AbortFlag>& abort_flag() const noexcept { return abort_flag_; }
  /// @throws Error (aborted)
  void throw_if_aborted() const;

  /// All ranks return, or all throw: the failure of the lowest rank that has one.
  void agree(const std::optional<Error>& failure) const;

  /// Something was given up that MPI still works on: the duplicate is never freed.
  void leave_under_way() noexcept { left_under_way_ = true; }

  /// Waits for `request`; false when the deadline passes first.
  static bool wait(MPI_Request& request, Deadline deadline);

 private:
  Session(MPI_Comm owned, const Options& options);
  void read_facts();
  void check_equal_options() const;

  MPI_Comm comm_ = MPI_COMM_NULL;
  Options options_;
  int rank_ = 0;
  int size_ = 1;
  int node_rank_ = 0;
  int node_size_ = 1;
  int local_rank_ = 0;
  int local_size_ = 1;
  int thread_level_ = MPI_THREAD_SINGLE;
  int largest_user_tag_ = 0;
  unsigned tags_used_ = 0;
  bool left_under_way_ = false;
  std::shared_ptr<detail::AbortFlag> abort_flag_ = std::make_shared<detail::AbortFlag>();
};

}  // namespace tutti::mpi
