#include "tutti/environment.hpp"

#include <chrono>
#include <mutex>
#include <string>
#include <thread>

#include "core/log.hpp"
#include "core/text.hpp"
#include "mpi/call.hpp"
#include "mpi/leftovers.hpp"
#include "mpi/lifetime.hpp"
#include "mpi/status_board.hpp"
#include "tutti/error.hpp"

namespace tutti {

namespace {

std::mutex environment_mutex;
int environments = 0;
bool initialised_here = false;

const char* name_of(int level) noexcept {
  if (level == MPI_THREAD_SINGLE) return "MPI_THREAD_SINGLE";
  if (level == MPI_THREAD_FUNNELED) return "MPI_THREAD_FUNNELED";
  if (level == MPI_THREAD_SERIALIZED) return "MPI_THREAD_SERIALIZED";
  return "MPI_THREAD_MULTIPLE";
}

int to_mpi(ThreadLevel level) noexcept {
  switch (level) {
    case ThreadLevel::single:
      return MPI_THREAD_SINGLE;
    case ThreadLevel::funneled:
      return MPI_THREAD_FUNNELED;
    case ThreadLevel::serialized:
      return MPI_THREAD_SERIALIZED;
    case ThreadLevel::multiple:
      return MPI_THREAD_MULTIPLE;
  }
  __builtin_unreachable();
}

ThreadLevel from_mpi(int level) noexcept {
  if (level == MPI_THREAD_SINGLE) return ThreadLevel::single;
  if (level == MPI_THREAD_FUNNELED) return ThreadLevel::funneled;
  if (level == MPI_THREAD_SERIALIZED) return ThreadLevel::serialized;
  return ThreadLevel::multiple;
}

void leave(const char* why) noexcept {
  mpi::stop();
  log(LogLevel::error, std::string("MPI is not finalised: ") + why);
}

void finalize_if_ours() noexcept {
  int finalized = 0;
  if (MPI_Finalized(&finalized) != MPI_SUCCESS || finalized != 0) return;
  mpi::StatusBoard::leave_all();
  const bool settled = mpi::leftovers::settled();
  if (mpi::leftovers::someone_died()) {
    // To the others a process that leaves so is one more that died: they finish what they are in.
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    return leave("it may wait for a process of this job that has died");
  }
  if (!settled)
    return leave(
        "it would wait for a rank that did not come to an operation before its deadline, and does "
        "not come now");
  if (MPI_Finalize() != MPI_SUCCESS) log(LogLevel::warn, "MPI_Finalize failed");
}

int enter(int* argc, char*** argv, int asked, int required) {
  const std::lock_guard lock(environment_mutex);
  int flag = 0;
  TUTTI_MPI(MPI_Finalized(&flag));
  if (flag != 0)
    throw Error(Errc::mpi, "MPI is finalised already and cannot be initialised a second time");
  TUTTI_MPI(MPI_Initialized(&flag));
  int provided = 0;
  if (flag == 0) {
    TUTTI_MPI(MPI_Init_thread(argc, argv, asked, &provided));
    initialised_here = true;
  } else {
    TUTTI_MPI(MPI_Query_thread(&provided));
  }
  if (provided < required) {
    if (environments == 0 && initialised_here) finalize_if_ours();
    throw Error(Errc::unsupported,
                text("this program needs ", name_of(required), ", MPI provides ", name_of(provided),
                     "; ask MPI_Init_thread for it, or another MPI library"));
  }
  mpi::require_running();
  ++environments;
  return provided;
}

}  // namespace

Environment::Environment(int& argc, char**& argv)
    : level_(from_mpi(enter(&argc, &argv, MPI_THREAD_SERIALIZED, MPI_THREAD_SINGLE))) {}

Environment::Environment()
    : level_(from_mpi(enter(nullptr, nullptr, MPI_THREAD_SERIALIZED, MPI_THREAD_SINGLE))) {}

Environment::Environment(int& argc, char**& argv, ThreadLevel required)
    : level_(from_mpi(enter(&argc, &argv, to_mpi(required), to_mpi(required)))) {}

Environment::Environment(ThreadLevel required)
    : level_(from_mpi(enter(nullptr, nullptr, to_mpi(required), to_mpi(required)))) {}

Environment::~Environment() {
  const std::lock_guard lock(environment_mutex);
  // A forked child's copy has nothing to finalise.
  if (--environments == 0 && initialised_here && !mpi::finalized()) finalize_if_ours();
}

}  // namespace tutti
