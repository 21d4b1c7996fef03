#include "mpi/lifetime.hpp"

#include <atomic>
#include <mutex>
#include <vector>

#include "core/fork_guard.hpp"
#include "core/log.hpp"
#include "mpi/call.hpp"
#include "mpi/status_board.hpp"
#include "tutti/error.hpp"

namespace tutti::mpi {

namespace {

std::atomic<bool> running{false};
std::atomic<int> forks{0};  // when MPI was found running
std::mutex lifetime_mutex;

bool in_forked_child() noexcept {
  return forks_since_start() != forks.load(std::memory_order_relaxed);
}

// Never destroyed: a static Environment finalises MPI after the library's own statics are gone.
std::vector<void (*)()>& callbacks() {
  static auto& list = *new std::vector<void (*)()>;
  return list;
}

}  // namespace

void stop() noexcept {
  if (!running.exchange(false, std::memory_order_acq_rel)) return;
  StatusBoard::leave_all();
  const std::lock_guard lock(lifetime_mutex);
  for (auto* callback : callbacks()) callback();
}

namespace {

// MPI deletes the attributes of MPI_COMM_SELF before anything else when it finalises.
int on_finalize(MPI_Comm, int, void*, void*) {
  stop();
  return MPI_SUCCESS;
}

}  // namespace

void require_running() {
  if (running.load(std::memory_order_acquire)) {
    if (!in_forked_child()) return;
    throw Error(Errc::broken,
                "this is a forked child: MPI works in the process that called MPI_Init only");
  }
  int flag = 0;
  TUTTI_MPI(MPI_Finalized(&flag));
  if (flag != 0)
    throw Error(Errc::mpi, "MPI is finalised already: nothing can communicate any more");
  TUTTI_MPI(MPI_Initialized(&flag));
  if (flag == 0)
    throw Error(Errc::mpi,
                "MPI is not initialised: make a tutti::Environment, or call MPI_Init, before");

  const std::lock_guard lock(lifetime_mutex);
  if (running.load(std::memory_order_acquire)) return;
  int key = MPI_KEYVAL_INVALID;
  TUTTI_MPI(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_finalize, &key, nullptr));
  TUTTI_MPI(MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr));
  TUTTI_MPI(MPI_Comm_free_keyval(&key));
  int rank = 0;
  TUTTI_MPI(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  set_log_rank(rank);
  forks.store(forks_since_start(), std::memory_order_relaxed);
  running.store(true, std::memory_order_release);
}

bool finalized() noexcept {
  return !running.load(std::memory_order_acquire) || in_forked_child();
}

void at_finalize(void (*function)()) {
  const std::lock_guard lock(lifetime_mutex);
  callbacks().push_back(function);
}

}  // namespace tutti::mpi
