#pragma once

#include <mpi.h>
#include <tutti/operation.hpp>

#include <span>
#include <string_view>
#include <vector>

#include "bench/job.hpp"
#include "bench/segment.hpp"

namespace tutti::bench {

/// The memory of a job on this rank, in elements. Out of place there are two buffers of `send` and
/// `receive` elements. In place there is one of `data` elements, in which what the rank sends lies
/// at `send_at` and what it receives at `receive_at`.
struct Layout {
  std::size_t send = 0;
  std::size_t receive = 0;
  std::size_t data = 0;
  std::size_t send_at = 0;
  std::size_t receive_at = 0;
};

/// A job's memory as operations take it. Where a side does not matter on this rank it is not given.
struct Ranges {
  SendView send;
  ReceiveView receive;
  ReceiveView data;  ///< in place: the one buffer
};

/// One raw MPI call: the arguments, and where to start it instead of blocking.
struct MpiCall {
  const Job& job;
  const void* send = nullptr;
  void* receive = nullptr;
  void* data = nullptr;
  int count = 0;
  MPI_Datatype type = MPI_BYTE;
  MPI_Op op = MPI_OP_NULL;
  MPI_Comm comm = MPI_COMM_NULL;
  const int* counts = nullptr;
  const int* offsets = nullptr;
  const int* pair_counts = nullptr;
  const int* pair_offsets = nullptr;
  MPI_Request* requests = nullptr;  ///< of two; null: the blocking form

  bool blocking() const { return requests == nullptr; }
  /// What goes in as the send buffer, and where a result goes, on ranks where both exist.
  const void* in() const { return job.in_place ? MPI_IN_PLACE : send; }
  void* out() const { return job.in_place ? data : receive; }
};

/// All that the benchmark knows of one collective.
struct Collective {
  std::string_view name;
  bool reduces = false;
  bool rooted = false;
  bool blocks = false;  ///< the array has one block a rank: its size is n x block
  bool uneven_form = false;
  bool uneven_in_place_form = true;
  bool in_place_form = true;
  bool one_buffer = false;  ///< there is no form with two buffers
  bool averages = true;     ///< `avg` is defined
  bool moves_data = true;
  bool has_ways = true;  ///< inside a node; messages between two ranks are always MPI's
  int least_size = 1;
  int calls = 1;  ///< operations, one after the other, in a step; times are per operation
  double (*bus_factor)(int size) = nullptr;
  Layout (*layout)(const Job&) = nullptr;
  std::vector<Segment> (*expected)(const Job&) = nullptr;
  /// The step: operations that this rank does one after the other.
  std::vector<Operation> (*operations)(const Job&, const Ranges&) = nullptr;
  int (*mpi)(const MpiCall&) = nullptr;
};

/// Every collective, in the order of the documentation.
std::span<const Collective* const> all_collectives();

// The factors of nccl-tests, which turn bytes of the array per time into what the busiest link
// carries.
double one(int size);             ///< broadcast, reduce, send_recv
double others_share(int size);    ///< (n - 1) / n: each rank's data crosses the bus but for its own
double there_and_back(int size);  ///< 2 (n - 1) / n: reduce_scatter, then all_gather

// Parts of several descriptions.
Layout whole_array(const Job& job);  ///< send and receive the whole array
std::vector<Segment> reduction_everywhere(const Job& job);
std::vector<Segment> every_block(const Job& job);  ///< block r from rank r

extern const Collective all_reduce_collective, reduce_collective, broadcast_collective,
    all_gather_collective, reduce_scatter_collective, gather_collective, scatter_collective,
    all_to_all_collective, scan_collective, exclusive_scan_collective, send_recv_collective,
    ping_pong_collective, barrier_collective;

}  // namespace tutti::bench
