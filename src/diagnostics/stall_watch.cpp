#include "diagnostics/stall_watch.hpp"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "core/log.hpp"
#include "core/text.hpp"
#include "core/variables.hpp"
#include "diagnostics/recorder.hpp"
#include "diagnostics/tracker.hpp"
#include "mpi/lifetime.hpp"

namespace tutti::stall_watch {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

struct Watched {
  const Tracker* tracker;
  std::uint32_t call = 0;  // that was going on at the last look
  Clock::time_point since{};
  bool told = false;
};

class Watch {
 public:
  void add(const Tracker& tracker) {
    static const bool stops = (mpi::at_finalize([] { instance().stop(); }), true);
    const std::lock_guard lock(mutex_);
    watched_.push_back({&tracker});
    if (stops && patience_.count() > 0 && !thread_.joinable() && !over_) start();
  }

  void remove(const Tracker& tracker) noexcept {
    const std::lock_guard lock(mutex_);
    watched_.erase(std::remove_if(watched_.begin(), watched_.end(),
                                  [&](const Watched& w) { return w.tracker == &tracker; }),
                   watched_.end());
  }

  // Never destroyed: static communicators come and go around the library's own statics.
  static Watch& instance() {
    static auto& watch = *new Watch;
    return watch;
  }

 private:
  // Signals are the application's threads' to take. Without a thread there is no report.
  void start() {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    try {
      thread_ = std::thread([this] { work(); });
    } catch (const std::system_error& error) {
      over_ = true;
      log(LogLevel::info, text("calls that stall are not told: ", error.what()));
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  void stop() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    wake_.notify_all();
    if (thread_.joinable()) thread_.join();
  }

  void work() {
    const milliseconds pause = std::min(patience_ / 4 + milliseconds(1), milliseconds(1000));
    std::unique_lock lock(mutex_);
    while (!wake_.wait_for(lock, pause, [this] { return over_; })) {
      if (Recorder* const recorder = Recorder::opened()) recorder->note_alive();
      for (Watched& watched : watched_) look_at(watched);
    }
  }

  void look_at(Watched& watched) const {
    const std::uint32_t call = watched.tracker->call_going_on();
    const Clock::time_point now = Clock::now();
    if (call == 0 || call != watched.call) {
      watched = {watched.tracker, call, now, false};
    } else if (!watched.told && now - watched.since >= patience_) {
      watched.told = true;
      const auto seconds = std::chrono::duration<double>(now - watched.since).count();
      log(LogLevel::warn, text("a call has not returned for ", static_cast<long>(seconds + 0.5),
                               " s (TUTTI_STALL): ", watched.tracker->waits()));
    }
  }

  const milliseconds patience_ = stall_time_from_environment();
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Watched> watched_;
  std::thread thread_;
  bool over_ = false;
};

}  // namespace

void add(const Tracker& tracker) {
  Watch::instance().add(tracker);
}

void remove(const Tracker& tracker) noexcept {
  Watch::instance().remove(tracker);
}

}  // namespace tutti::stall_watch
