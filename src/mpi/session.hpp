#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/abort_flag.hpp"
#include "mpi/inquiry.hpp"
#include "mpi/node/tuning.hpp"
#include "mpi/status_board.hpp"
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
  static std::shared_ptr<Session> split(Session& parent, int color, int key);

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
  /// Equal on all ranks, and on no other communicator of the job.
  std::uint64_t id() const noexcept { return id_; }
  /// "0.3": the third communicator whose rank 0 is rank 0 of the job.
  std::string id_text() const;
  const Options& options() const noexcept { return options_; }

  /// The rules of TUTTI_TUNE as rank 0 read them; of a split communicator, its parent's.
  const node::Tuning& tuning() const noexcept { return *tuning_; }

  /// What this node's ranks are doing.
  StatusBoard& board() noexcept { return *board_; }
  const StatusBoard& board() const noexcept { return *board_; }

  /// The largest tag of the user's own messages; those above are the library's.
  int largest_user_tag() const noexcept { return largest_user_tag_; }
  /// A tag for one collective operation's own messages. Every rank asks in the same order.
  int next_tag() noexcept;

  /// Shared with abort handles, which may outlive the session.
  const std::shared_ptr<detail::AbortFlag>& abort_flag() const noexcept { return abort_flag_; }
  /// @throws Error (aborted)
  void throw_if_aborted() const;

  /// All ranks return, or all throw: the failure of the lowest rank that has one.
  void agree(const std::optional<Error>& failure, Deadline deadline = {});

  /// Something is given up that MPI still works on, in `memory`: both are kept, and the duplicate
  /// is never freed.
  void leave_under_way(std::vector<MPI_Request> requests, std::shared_ptr<void> memory) noexcept;

  /// Waits for `request`, which works on `memory`. @throws Error (timeout) with `late` as its cause
  /// when the deadline passes first, (aborted).
  void finish(MPI_Request request, std::shared_ptr<void> memory, Deadline deadline,
              const char* late);

  /// Answers what ranks of other nodes ask; for a rank that waits with a deadline.
  void serve() noexcept;
  /// Asks ranks of other nodes what they do; for a rank that gives up.
  void ask_others() noexcept;
  /// Whether a rank of this machine is on this one's node too, with pretended nodes.
  bool beside(int rank) const noexcept;
  /// What they answered, if there was somebody to ask.
  const Inquiry* inquiry() const noexcept { return inquiry_.get(); }

  /// Waits until the board holds all ranks' words of `turn`, and meanwhile lets MPI move on.
  /// @throws Error as `finish`; (broken) where a rank has given up the communicator before.
  void await_words(std::uint64_t turn, Deadline deadline, const char* late);

 private:
  Session(MPI_Comm owned, const Options& options);
  template <class Body>
  void free_if_failing(Body&& body);
  void meet_all_ranks(MPI_Comm parent, std::chrono::milliseconds told_after);
  void agree_on_everything(const std::optional<Error>& failure);
  void release() noexcept;
  std::chrono::milliseconds patience() const noexcept;
  bool abortable_wait(MPI_Request& request, Deadline deadline);
  void read_facts();
  void share_board(MPI_Comm machine);
  void agree_on_id();
  void check_equal_options(Deadline deadline);
  std::string tuning_text(std::optional<Error>& failure) const;
  void share_tuning(const std::string& text, Deadline deadline);

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
  std::uint64_t id_ = 0;
  std::shared_ptr<const node::Tuning> tuning_ = std::make_shared<node::Tuning>();
  std::unique_ptr<StatusBoard> board_;
  std::unique_ptr<Inquiry> inquiry_;
  unsigned looks_ = 0;
  std::shared_ptr<detail::AbortFlag> abort_flag_ = std::make_shared<detail::AbortFlag>();
};

}  // namespace tutti::mpi
