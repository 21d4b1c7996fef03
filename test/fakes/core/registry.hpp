#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace fake {

/** Handles given to the application: an unknown one is told apart instead of dereferenced. */
template <typename T>
class Registry {
 public:
  void* add(std::shared_ptr<T> object) {
    const std::lock_guard lock(mutex_);
    void* handle = object.get();
    objects_[handle] = std::move(object);
    return handle;
  }

  std::shared_ptr<T> find(const void* handle) const {
    const std::lock_guard lock(mutex_);
    const auto found = objects_.find(handle);
    return found == objects_.end() ? nullptr : found->second;
  }

  /** Takes the object out; null when there is none. */
  std::shared_ptr<T> take(const void* handle) {
    const std::lock_guard lock(mutex_);
    const auto found = objects_.find(handle);
    if (found == objects_.end()) return nullptr;
    auto object = std::move(found->second);
    objects_.erase(found);
    return object;
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<const void*, std::shared_ptr<T>> objects_;
};

}  // namespace fake
