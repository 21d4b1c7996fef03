#include "nccl/handle.hpp"

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "core/backoff.hpp"
#include "core/log.hpp"
#include "core/text.hpp"
#include "cuda/runtime.hpp"

namespace tutti::nccl {

namespace {

std::atomic<bool> exit_began{false};

// Registered after NCCL was opened, so it runs before NCCL's own destructors.
void watch_exit() {
  static const int registered = std::atexit([] { exit_began.store(true); });
  static_cast<void>(registered);
}

constexpr std::chrono::milliseconds usual_patience{10000};

std::string interface_hint() {
  const char* const chosen = std::getenv("NCCL_SOCKET_IFNAME");
  return text("; NCCL_SOCKET_IFNAME is ", chosen != nullptr ? chosen : "not set",
              ", the interfaces here: ", interface_names());
}

}  // namespace

bool exiting() noexcept {
  return exit_began.load();
}

Handle::Handle(Bootstrap& bootstrap, const ncclUniqueId& id, int device, Deadline deadline)
    : bootstrap_(bootstrap), device_(device), patience_(bootstrap.options().timeout) {
  if (patience_.count() == 0) patience_ = usual_patience;
  watch_exit();
  ncclConfig_t not_blocking = config(false);
  try {
    const ncclResult_t result = functions().ncclCommInitRankConfig(&root_, bootstrap.size(), id,
                                                                   bootstrap.rank(), &not_blocking);
    if (result != ncclSuccess && result != ncclInProgress) {
      root_ = nullptr;  // whatever it holds now
      check(result, "ncclCommInitRankConfig");
    }
    if (root_ == nullptr)
      throw Error(Errc::nccl, "ncclCommInitRankConfig succeeded but gave no communicator");
    check(poll(root_, deadline, "ncclCommInitRankConfig"), "ncclCommInitRankConfig", root_);
    if (bootstrap.options().timeout.count() == 0) make_child(deadline);
    joining_ = false;
  } catch (...) {
    this->abort();
    throw;
  }
}

Handle::Handle(Bootstrap& bootstrap, ncclComm_t made, int device)
    : bootstrap_(bootstrap),
      device_(device),
      patience_(bootstrap.options().timeout),
      joining_(false),
      root_(made) {
  if (patience_.count() == 0) patience_ = usual_patience;
  watch_exit();
  if (made == nullptr)
    throw Error(Errc::nccl, "ncclCommInitRankConfig succeeded but gave no communicator");
}

Handle::~Handle() {
  if (root_ == nullptr || exiting()) return;
  try {
    const cuda::DeviceGuard guard(device_);
    if (child_ != nullptr) finish(child_);
    if (root_ != nullptr) finish(root_);
  } catch (const std::exception& error) {
    log(LogLevel::debug, text("an NCCL communicator is left behind: ", error.what()));
  }
}

ncclConfig_t Handle::config(bool blocking) const noexcept {
  ncclConfig_t made = NCCL_CONFIG_INITIALIZER;
  made.blocking = blocking ? 1 : 0;
  return made;
}

void Handle::make_child(Deadline deadline) {
  if (functions().ncclCommSplit == nullptr) return;
  ncclConfig_t blocking = config(true);
#if NCCL_VERSION_CODE >= 21801
  blocking.splitShare = 1;
#endif
  ncclResult_t result = functions().ncclCommSplit(root_, 0, bootstrap_.rank(), &child_, &blocking);
  if (result == ncclInProgress || result == ncclSuccess)
    result = poll(root_, deadline, "ncclCommSplit");
  if (result != ncclSuccess) child_ = nullptr;
  check(result, "ncclCommSplit", root_);
}

ncclResult_t Handle::poll(ncclComm_t comm, Deadline deadline, const char* call) {
  Backoff backoff;
  for (;;) {
    ncclResult_t state = ncclInProgress;
    check(functions().ncclCommGetAsyncError(comm, &state), "ncclCommGetAsyncError", comm);
    if (state != ncclInProgress) return state;
    if (deadline.passed())
      throw Error(Errc::timeout, text(call, " was still in progress when the deadline passed",
                                      joining_ ? interface_hint() : ""));
    if (bootstrap_.abort_flag().aborted.load(std::memory_order_relaxed))
      throw Error(Errc::aborted, "the communicator was aborted");
    if (joining_ && bootstrap_.noticed()) throw PeerFailed();
    bootstrap_.progress();
    // NCCL's own threads have much to do while ranks join; they get the processor.
    if (joining_)
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    else
      backoff.pause();
  }
}

void Handle::settle(ncclResult_t result, const char* call, Deadline deadline) {
  if (result == ncclInProgress) result = poll(get(), deadline, call);
  check(result, call, get());
}

void Handle::check_asynchronous() {
  ncclResult_t state = ncclSuccess;
  check(functions().ncclCommGetAsyncError(get(), &state), "ncclCommGetAsyncError", get());
  if (state != ncclSuccess && state != ncclInProgress)
    throw Error(Errc::nccl, "NCCL reports an asynchronous error: " + words_of(state, get()));
}

void Handle::abort() noexcept {
  for (ncclComm_t* const comm : {&child_, &root_}) {
    if (*comm == nullptr || exiting()) continue;
    bounded(functions().ncclCommAbort, *comm, "ncclCommAbort");
    *comm = nullptr;
  }
}

// Finalising flushes what is under way; destroying then is local.
void Handle::finish(ncclComm_t comm) noexcept try {
  const Deadline deadline = Deadline::in(patience_);
  bool good = bounded(functions().ncclCommFinalize, comm, "ncclCommFinalize");
  if (good) {
    joining_ = false;
    good = poll(comm, deadline, "ncclCommFinalize") == ncclSuccess;
  }
  if (!good)
    bounded(functions().ncclCommAbort, comm, "ncclCommAbort");
  else if (!bounded(functions().ncclCommDestroy, comm, "ncclCommDestroy"))
    bounded(functions().ncclCommAbort, comm, "ncclCommAbort");
} catch (const std::exception& error) {
  log(LogLevel::warn,
      text("NCCL's communicator did not end in time and is aborted: ", error.what()));
  bounded(functions().ncclCommAbort, comm, "ncclCommAbort");
}

// Any of these may block for ever once a peer is gone, so each runs on a thread that can be left.
bool Handle::bounded(ncclResult_t (*call)(ncclComm_t), ncclComm_t comm,
                     const char* name) const noexcept try {
  struct Shared {
    std::mutex mutex;
    std::condition_variable changed;
    bool done = false;
    ncclResult_t result = ncclSuccess;
  };
  const auto shared = std::make_shared<Shared>();
  std::thread([shared, call, comm, device = device_] {
    ncclResult_t result = ncclInternalError;
    try {
      cuda::set_current_device(device);
      result = call(comm);
    } catch (const std::exception&) {
      // As a failed call.
    }
    const std::lock_guard lock(shared->mutex);
    shared->result = result;
    shared->done = true;
    shared->changed.notify_all();
  }).detach();
  std::unique_lock lock(shared->mutex);
  if (!shared->changed.wait_for(lock, patience_, [&] { return shared->done; })) {
    log(LogLevel::warn, text(name, " did not return within ", patience_.count(),
                             " ms; the communicator is left behind"));
    return false;
  }
  return shared->result == ncclSuccess || shared->result == ncclInProgress;
} catch (const std::exception& error) {
  log(LogLevel::warn, text(name, " could not be called: ", error.what()));
  return false;
}

}  // namespace tutti::nccl
