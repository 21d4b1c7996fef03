#include "nccl/registry.hpp"

#include "core/log.hpp"
#include "cuda/runtime.hpp"
#include "tutti/error.hpp"

namespace tutti::nccl {

std::shared_ptr<void> Registry::add(void* memory, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  const Place place = entries_.insert(entries_.end(), Entry{memory, bytes});
  enter(*place);
  return std::shared_ptr<void>(memory,
                               [self = shared_from_this(), place](void*) { self->remove(place); });
}

// NCCL may write the handle after a deadline has passed: it has its place here before.
std::shared_ptr<void> Registry::add_window(Handle& handle, void* memory, std::size_t bytes,
                                           Deadline deadline) {
  constexpr int symmetric = 1;  // NCCL_WIN_COLL_SYMMETRIC, not in older headers
  Place place;
  {
    const std::lock_guard lock(mutex_);
    place = entries_.insert(entries_.end(), Entry{memory, bytes, true});
  }
  const cuda::DeviceGuard guard(device_);
  handle.settle(
      functions().ncclCommWindowRegister(handle.get(), memory, bytes, &place->window, symmetric),
      "ncclCommWindowRegister", deadline);
  return std::shared_ptr<void>(place->window,
                               [self = shared_from_this(), place](void*) { self->remove(place); });
}

void Registry::remove(Place place) noexcept {
  const std::lock_guard lock(mutex_);
  leave(*place);
  entries_.erase(place);
}

void Registry::open(ncclComm_t comm, int device) {
  const std::lock_guard lock(mutex_);
  comm_ = comm;
  device_ = device;
  for (Entry& entry : entries_) enter(entry);
}

void Registry::close() noexcept {
  const std::lock_guard lock(mutex_);
  for (Entry& entry : entries_) leave(entry);
  comm_ = nullptr;
}

// Registration makes things faster, not possible: without it they work too.
void Registry::enter(Entry& entry) noexcept try {
  if (comm_ == nullptr || functions().ncclCommRegister == nullptr || entry.bytes == 0) return;
  if (entry.is_window) return;  // with one communicator only
  const cuda::DeviceGuard guard(device_);
  const ncclResult_t result =
      functions().ncclCommRegister(comm_, entry.memory, entry.bytes, &entry.handle);
  if (result == ncclSuccess) return;
  entry.handle = nullptr;
  log(LogLevel::info, "memory is not registered with NCCL: " + words_of(result, comm_));
} catch (const std::exception&) {
  entry.handle = nullptr;
}

void Registry::leave(Entry& entry) noexcept try {
  const bool registered = entry.handle != nullptr || entry.window != nullptr;
  if (!registered || comm_ == nullptr || exiting()) return;
  const cuda::DeviceGuard guard(device_);
  const Functions& f = functions();
  const ncclResult_t result = entry.is_window ? f.ncclCommWindowDeregister(comm_, entry.window)
                                              : f.ncclCommDeregister(comm_, entry.handle);
  if (result != ncclSuccess && result != ncclInProgress)
    log(LogLevel::info, "NCCL did not give memory up: " + words_of(result, comm_));
  entry.handle = nullptr;
  entry.window = nullptr;
} catch (const std::exception&) {
  entry.handle = nullptr;
  entry.window = nullptr;
}

}  // namespace tutti::nccl
