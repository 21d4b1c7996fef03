#pragma once

#include <list>
#include <memory>
#include <mutex>

#include "nccl/functions.hpp"
#include "nccl/handle.hpp"

namespace tutti::nccl {

/// Memory that is to be registered with a communicator whenever there is one. Lives as long as the
/// backend or any of its registrations, whichever is longer.
class Registry : public std::enable_shared_from_this<Registry> {
 public:
  /// Registered until the token goes.
  std::shared_ptr<void> add(void* memory, std::size_t bytes);
  /// A window, with the communicator that there is now; collective. The token holds NCCL's handle,
  /// null where NCCL gives none. @throws as `Handle::settle`.
  std::shared_ptr<void> add_window(Handle& handle, void* memory, std::size_t bytes,
                                   Deadline deadline);
  /// From now on with this one.
  void open(ncclComm_t comm, int device);
  /// Before the communicator is destroyed.
  void close() noexcept;

 private:
  struct Entry {
    void* memory;
    std::size_t bytes;
    bool is_window = false;
    void* handle = nullptr;
    ncclWindow_vidmem* window = nullptr;
  };
  using Place = std::list<Entry>::iterator;

  void enter(Entry& entry) noexcept;
  void leave(Entry& entry) noexcept;
  void remove(Place place) noexcept;

  std::mutex mutex_;
  std::list<Entry> entries_;
  ncclComm_t comm_ = nullptr;
  int device_ = 0;
};

}  // namespace tutti::nccl
