#include "core/comm.hpp"

#include <cstring>
#include <thread>

#include "core/script.hpp"

namespace fake {
namespace {

thread_local std::string returned_text;  // what ncclGetLastError points to

/** Of the process: a group's jobs run on threads of their own. */
struct GlobalError {
  std::mutex mutex;
  std::string text;
};

GlobalError& global() {
  static auto* instance = new GlobalError;
  return *instance;
}

}  // namespace

Registry<Comm>& comms() {
  static auto* instance = new Registry<Comm>;
  return *instance;
}

void set_global_error(const std::string& text) {
  const std::lock_guard lock(global().mutex);
  global().text = text;
}

const char* global_error() {
  const std::lock_guard lock(global().mutex);
  returned_text = global().text;
  return returned_text.c_str();
}

void Comm::set_segment(std::shared_ptr<Segment> shared) {
  const std::lock_guard lock(mutex_);
  segment = std::move(shared);
}

void Comm::abort() {
  aborted_.store(true);
  const std::lock_guard lock(mutex_);
  if (segment) segment->unlink();  // whoever has not come by now comes too late
  if (joining_) joining_->abort();
  changed_.notify_all();
}

void Comm::set_joining(std::shared_ptr<Comm> child) {
  const std::lock_guard lock(mutex_);
  joining_ = std::move(child);
  if (joining_ && aborted()) joining_->abort();
}

void Comm::revoke() {
  revoked_.store(true);
  abort();
}

bool Comm::pause(int* spins) const {
  if (aborted()) return false;
  if (++*spins < 50) {
    std::this_thread::yield();
  } else {
    std::this_thread::sleep_for(std::chrono::microseconds(*spins < 500 ? 50 : 500));
  }
  return true;
}

void Comm::wait_for_abort() const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return aborted_.load(); });
}

void Comm::fail(ncclResult_t code, const std::string& text) {
  const std::lock_guard lock(mutex_);
  if (error_ == ncclSuccess) error_ = code;
  last_error_ = text;
}

void Comm::fail_all(const std::string& text) {
  SharedHeader& header = segment->header();
  if (header.error_claimed.exchange(1) != 0) return;  // the first report stands
  std::strncpy(header.error_text, text.c_str(), sizeof header.error_text - 1);
  header.error.store(ncclInvalidUsage, std::memory_order_release);
}

bool Comm::failed_for_all() const {
  return segment->header().error.load(std::memory_order_acquire) != 0;
}

void Comm::set_last_error(const std::string& text) {
  const std::lock_guard lock(mutex_);
  last_error_ = text;
}

const char* Comm::last_error() {
  const std::lock_guard lock(mutex_);
  if (last_error_.empty() && segment && failed_for_all()) {
    last_error_ = segment->header().error_text;
  }
  returned_text = last_error_;
  return returned_text.c_str();
}

ncclResult_t Comm::state_locked() {
  if (error_ != ncclSuccess) return error_;
  if (segment && failed_for_all()) return ncclInvalidUsage;
  return working_ || polls_ != 0 ? ncclInProgress : ncclSuccess;
}

ncclResult_t Comm::state() {
  const std::lock_guard lock(mutex_);
  return state_locked();
}

ncclResult_t Comm::poll() {
  std::function<void()> deferred;
  ncclResult_t result = ncclSuccess;
  {
    const std::lock_guard lock(mutex_);
    if (const Statement* async = Script::get().find("async", "", rank)) {
      if (++async_polls_ >= async->number("polls", 1) && error_ == ncclSuccess) {
        error_ = static_cast<ncclResult_t>(async->number("code", ncclRemoteError));
        last_error_ = async->has("text") ? async->text("text") : "scripted asynchronous error";
      }
    }
    result = state_locked();
    if (polls_ > 0 && !working_ && --polls_ == 0) {
      deferred.swap(deferred_);
      const long long code = script_ != nullptr ? script_->number("code", 0) : 0;
      if (code != 0) {
        error_ = static_cast<ncclResult_t>(code);
        last_error_ = script_->has("text") ? script_->text("text") : "scripted failure";
      }
    }
  }
  if (deferred) deferred();
  return result;
}

void Comm::begin_progress(int polls, const Statement* script, std::function<void()> deferred) {
  const std::lock_guard lock(mutex_);
  polls_ = polls;
  script_ = script;
  working_ = deferred == nullptr;
  deferred_ = std::move(deferred);
}

void Comm::finish_progress(ncclResult_t code) {
  const std::lock_guard lock(mutex_);
  working_ = false;
  if (code != ncclSuccess && error_ == ncclSuccess) error_ = code;
}

bool Comm::wait_turn(std::uint64_t ticket) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return aborted_.load() || finished_ == ticket; });
  if (aborted_.load()) return false;
  running_ = true;
  return true;
}

void Comm::end_turn(std::uint64_t ticket) {
  const std::lock_guard lock(mutex_);
  if (finished_ < ticket + 1) finished_ = ticket + 1;
  running_ = false;
  changed_.notify_all();
}

void Comm::wait_quiet() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !running_; });
}

bool Comm::wait_idle() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return aborted_.load() || finished_ >= issued_.load(); });
  return !aborted_.load();
}

ncclRedOp_t Comm::add_reduction(Reduction reduction) {
  const std::lock_guard lock(mutex_);
  const int op = next_reduction_++;
  reductions_[op] = reduction;
  return static_cast<ncclRedOp_t>(op);
}

bool Comm::remove_reduction(ncclRedOp_t op) {
  const std::lock_guard lock(mutex_);
  return reductions_.erase(static_cast<int>(op)) == 1;
}

bool Comm::find_reduction(ncclRedOp_t op, Reduction* reduction) {
  *reduction = {};
  if (op >= ncclSum && op < ncclNumOps) {
    reduction->op = op;
    return true;
  }
  const std::lock_guard lock(mutex_);
  const auto found = reductions_.find(static_cast<int>(op));
  if (found == reductions_.end()) return false;
  *reduction = found->second;
  return true;
}

void* Comm::add_registration(bool window) {
  const std::lock_guard lock(mutex_);
  auto token = std::make_unique<bool>(window);
  void* handle = token.get();
  registrations_[handle] = std::move(token);
  return handle;
}

bool Comm::remove_registration(void* handle, bool window) {
  const std::lock_guard lock(mutex_);
  const auto found = registrations_.find(handle);
  if (found == registrations_.end() || *found->second != window) return false;
  registrations_.erase(found);
  return true;
}

}  // namespace fake
