#include "nccl/handle.hpp"

#include <atomic>
#include <cstdlib>
#include <thread>
#include <utility>
#include <vector>

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

// How long the end of a communicator is waited for where no deadline was asked for.
constexpr std::chrono::milliseconds usual_patience{2000};

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
      one_of_several_(true),
      root_(made) {
  if (patience_.count() == 0) patience_ = usual_patience;
  watch_exit();
}

void Handle::await_made(Deadline deadline) {
  if (root_ == nullptr)
    throw Error(Errc::nccl, "ncclCommInitRankConfig succeeded but gave no communicator");
  check(poll(root_, deadline, "ncclCommInitRankConfig"), "ncclCommInitRankConfig", root_);
  joining_ = false;
}

Handle::~Handle() {
  if (root_ == nullptr || exiting()) return;
  std::vector<ncclComm_t> comms;
  for (const ncclComm_t comm : {child_, root_})
    if (comm != nullptr) comms.push_back(comm);
  const auto end_all = [](const std::vector<ncclComm_t>& these) {
    for (const ncclComm_t comm : these) end(comm);
  };
  if (bounded(end_all, comms)) return;
  if (bootstrap_.options().timeout.count() == 0) {
    log(LogLevel::warn,
        text("NCCL's communicator has not ended within ", patience_.count(),
             " ms and is left to end by itself: a captured graph that holds it is still alive "
             "(destroy graphs first), or other ranks have not ended theirs"));
    return;
  }
  log(LogLevel::warn, text("NCCL's communicator did not end within ", patience_.count(),
                           " ms (Options::timeout) and is aborted"));
  this->abort();
}

ncclConfig_t Handle::config(bool blocking) const noexcept {
  ncclConfig_t made = NCCL_CONFIG_INITIALIZER;
  made.blocking = blocking ? 1 : 0;
  return made;
}

void Handle::make_child(Deadline deadline) {
  if (functions().ncclCommSplit == nullptr) return;
  ncclConfig_t blocking = config(true);
  // With resources of its own, as NCCL does unless told otherwise: sharing the parent's costs a
  // little on the device, and the parent, which does nothing, connects to nobody.
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
    if (joining_ || !one_of_several_) bootstrap_.progress();
    // NCCL's own threads have much to do while ranks join; they get the processor.
    if (joining_)
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    else
      backoff.pause();
  }
}

void Handle::settle_slowly(ncclResult_t result, const char* call, Deadline deadline) {
  if (result == ncclInProgress) result = poll(get(), deadline, call);
  check(result, call, get());
}

void Handle::check_asynchronous() {
  ncclResult_t state = ncclSuccess;
  check(functions().ncclCommGetAsyncError(get(), &state), "ncclCommGetAsyncError", get());
  if (state != ncclSuccess && state != ncclInProgress)
    throw Error(Errc::nccl, "NCCL reports an asynchronous error: " + words_of(state, get()));
}

// A graph that holds a communicator keeps its abort from returning, not from having its effect.
void Handle::abort() noexcept {
  std::vector<ncclComm_t> comms;
  for (ncclComm_t* const comm : {&child_, &root_})
    if (ncclComm_t mine = std::exchange(*comm, nullptr); mine != nullptr) comms.push_back(mine);
  if (comms.empty() || exiting()) return;
  const auto abort_all = [](const std::vector<ncclComm_t>& these) {
    for (const ncclComm_t comm : these) static_cast<void>(functions().ncclCommAbort(comm));
  };
  if (!bounded(abort_all, comms))
    log(LogLevel::warn, text("ncclCommAbort did not return within ", patience_.count(),
                             " ms; the communicator is left behind"));
}

// Finalising flushes what is under way; destroying then is local.
void Handle::end(ncclComm_t comm) {
  const Functions& f = functions();
  ncclResult_t state = f.ncclCommFinalize(comm);
  while (state == ncclInProgress) {
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    if (f.ncclCommGetAsyncError(comm, &state) != ncclSuccess) state = ncclInternalError;
  }
  if (state == ncclSuccess) state = f.ncclCommDestroy(comm);
  if (state != ncclSuccess && state != ncclInProgress) static_cast<void>(f.ncclCommAbort(comm));
}

// Any of these may block for ever once a peer is gone, so they run on a thread that can be left.
bool Handle::bounded(void (*body)(const std::vector<ncclComm_t>&),
                     const std::vector<ncclComm_t>& comms) const noexcept try {
  const auto done = std::make_shared<std::atomic<bool>>(false);
  std::thread([done, body, comms, device = device_] {
    try {
      cuda::set_current_device(device);
      body(comms);
    } catch (const std::exception&) {
      // Nothing more can be done with them.
    }
    done->store(true);
  }).detach();
  const Deadline limit = Deadline::in(patience_);
  while (!done->load()) {
    if (limit.passed()) return false;
    if (!one_of_several_) bootstrap_.progress();
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  return true;
} catch (const std::exception& error) {
  log(LogLevel::warn, text("an NCCL communicator is left behind: ", error.what()));
  return true;
}

}  // namespace tutti::nccl
