#include "mpi/progress.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <vector>

#include "mpi/task.hpp"

namespace tutti::mpi::progress {

namespace {

std::mutex mutex;
std::atomic<int> count{0};

std::vector<OperationTask*>& tasks() {
  static std::vector<OperationTask*> list;
  return list;
}

}  // namespace

void enter(OperationTask& task) {
  const std::lock_guard lock(mutex);
  tasks().push_back(&task);
  count.fetch_add(1, std::memory_order_release);
}

void leave(OperationTask& task) noexcept {
  const std::lock_guard lock(mutex);
  auto& list = tasks();
  const auto found = std::find(list.begin(), list.end(), &task);
  if (found == list.end()) return;
  list.erase(found);
  count.fetch_sub(1, std::memory_order_release);
}

bool idle() noexcept { return count.load(std::memory_order_acquire) == 0; }

void advance_all() noexcept {
  const std::unique_lock lock(mutex, std::try_to_lock);
  if (!lock.owns_lock()) return;
  for (OperationTask* task : tasks()) task->advance_in_passing();
}

}  // namespace tutti::mpi::progress
