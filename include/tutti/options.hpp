#pragma once

#include <chrono>
#include <cstddef>

namespace tutti {

/// What is checked before an operation moves anything.
enum class Check {
  none,     ///< nothing: a wrong call is undefined, as in MPI and NCCL
  local,    ///< everything that one rank can know
  global,   ///< and that all ranks call the same operation: one small exchange more each
  results,  ///< and that `run` left the same bits on all ranks, where it is to: one exchange more
};

/// Whether NCCL serves device memory.
enum class NcclPolicy {
  automatic,  ///< only if every rank can; otherwise staged, with a reason in `explain`
  required,   ///< construction fails on all ranks unless every rank can
  never,
};

/// When NCCL communicators are made.
enum class NcclJoin { lazy, eager };

/// Whether device memory may be staged through the host when NCCL cannot serve.
enum class Fallback { allow, forbid };

/// How host memory travels.
enum class HostPath {
  automatic,
  mpi,   ///< the MPI library's collectives
  node,  ///< shared memory inside a node
  nccl,  ///< staged through the GPU
};

/// Settings of a communicator, equal on all its ranks. A `TUTTI_*` variable that is set wins over
/// the program's value: whoever starts the job sees the machine that it runs on.
struct Options {
  /// Deadline of construction, of every operation and of teardown; 0: none. TUTTI_TIMEOUT
  std::chrono::milliseconds timeout{0};
  Check check = Check::local;                ///< TUTTI_CHECK
  NcclPolicy nccl = NcclPolicy::automatic;   ///< TUTTI_NCCL
  NcclJoin join = NcclJoin::lazy;            ///< TUTTI_NCCL_JOIN
  Fallback fallback = Fallback::allow;       ///< TUTTI_FALLBACK
  HostPath host_path = HostPath::automatic;  ///< TUTTI_HOST_PATH
  /// The host result depends on the values and the rank order alone. TUTTI_DETERMINISTIC
  bool deterministic = false;
  /// The largest count handed to one MPI call; larger operations are cut. TUTTI_MAX_COUNT
  std::size_t max_count = 0x7fffffff;
  /// So many consecutive ranks of a machine count as a node, for tests; 0: all of them.
  /// TUTTI_NODE_SIZE
  std::size_t node_size = 0;
};

}  // namespace tutti
