#pragma once

#include "core/nccl_api.hpp"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "core/arithmetic.hpp"
#include "core/registry.hpp"
#include "core/segment.hpp"

namespace fake {

struct Statement;

/**
 * One rank of one fake NCCL communicator. The handle given out is its address.
 *
 * Its operations run in the order in which they were issued, whatever streams they are on. Waiting,
 * wherever it happens, ends with abort().
 */
class Comm {
 public:
  Comm(int its_rank, int its_size, int its_device, bool is_blocking)
      : rank(its_rank), size(its_size), device(its_device), blocking(is_blocking) {}

  const int rank;
  const int size;
  const int device;
  const bool blocking;
  std::string name;  // of the shared segment; children derive theirs from it
  std::shared_ptr<Segment> segment;
  std::uint64_t splits = 0;
  std::uint64_t collectives = 0;  // touched only by the operation whose turn it is

  /** Set by the thread that joins, which may be another than the caller's. */
  void set_segment(std::shared_ptr<Segment> shared);

  void abort();
  /** A child that is coming together ends with an abort of its parent. */
  void set_joining(std::shared_ptr<Comm> child);
  bool aborted() const { return aborted_.load(); }
  void revoke();
  bool revoked() const { return revoked_.load(); }
  std::atomic<bool> finalized{false};

  /** Sleeps a little; false once aborted. */
  bool pause(int* spins) const;
  /** Returns when aborted. */
  void wait_for_abort() const;

  /** Asynchronous error of this rank only. */
  void fail(ncclResult_t code, const std::string& text);
  /** Asynchronous error that every rank of the communicator sees. */
  void fail_all(const std::string& text);
  bool failed_for_all() const;
  void set_last_error(const std::string& text);
  const char* last_error();

  /** State without side effects; in progress while a non-blocking call is under way. */
  ncclResult_t state();
  /** ncclCommGetAsyncError: each call counts as one poll. */
  ncclResult_t poll();
  /** Starts a non-blocking call that ends by finish_progress() and after `polls` polls. */
  void begin_progress(int polls, const Statement* script, std::function<void()> deferred);
  void finish_progress(ncclResult_t code);

  std::uint64_t take_ticket() { return issued_.fetch_add(1); }
  /** False when aborted before the turn came. */
  bool wait_turn(std::uint64_t ticket);
  void end_turn(std::uint64_t ticket);
  /** After an abort: until no operation touches memory any more. */
  void wait_quiet();
  /** Waits for all issued operations; false when aborted. */
  bool wait_idle();

  ncclRedOp_t add_reduction(Reduction reduction);
  bool remove_reduction(ncclRedOp_t op);
  bool find_reduction(ncclRedOp_t op, Reduction* reduction);

  void* add_registration(bool window);
  bool remove_registration(void* handle, bool window);

 private:
  ncclResult_t state_locked();

  std::atomic<bool> aborted_{false};
  std::atomic<bool> revoked_{false};
  std::atomic<std::uint64_t> issued_{0};

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::uint64_t finished_ = 0;
  bool running_ = false;
  ncclResult_t error_ = ncclSuccess;
  std::string last_error_;
  std::shared_ptr<Comm> joining_;
  bool working_ = false;  // a non-blocking call is not finished
  int polls_ = 0;         // and is not told to be for so many polls; below zero: never
  const Statement* script_ = nullptr;
  std::function<void()> deferred_;
  int async_polls_ = 0;
  int next_reduction_ = ncclNumOps;
  std::map<int, Reduction> reductions_;
  std::map<void*, std::unique_ptr<bool>> registrations_;  // true for a window
};

using CommPtr = std::shared_ptr<Comm>;

Registry<Comm>& comms();

/** Text of the last error outside any communicator, for ncclGetLastError(null). */
void set_global_error(const std::string& text);
const char* global_error();

}  // namespace fake
