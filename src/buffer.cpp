#include "tutti/buffer.hpp"

#include <cstdlib>
#include <cstring>

#include "core/backoff.hpp"
#include "core/shareable_memory.hpp"
#include "core/text.hpp"
#include "cuda/memory.hpp"
#include "cuda/runtime.hpp"
#include "nccl/memory.hpp"
#include "tutti/communicator.hpp"

namespace tutti::detail {

namespace {

void* heap(std::size_t bytes) {
  constexpr std::size_t alignment = 64;
  void* const memory =
      std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (memory == nullptr)
    throw Error(Errc::memory, text("no memory for a buffer of ", bytes, " bytes"));
  return memory;
}

void copy(void* to, const void* from, std::size_t bytes, Device device) {
  if (bytes == 0) return;
  if (!device) {
    std::memcpy(to, from, bytes);
    return;
  }
  const cuda::DeviceGuard guard(device.ordinal());
  cuda::copy_on(cuda::legacy_stream(), to, from, bytes);
  cuda::Event done;
  done.record(cuda::legacy_stream());
  for (Backoff backoff; !done.done(); backoff.pause()) {
  }
}

}  // namespace

BufferMemory::BufferMemory(std::size_t bytes, Device device) : device_(device) {
  if (bytes == 0) return;
  if (device) {
    allocate_device(bytes, false);
    return;
  }
  allocate_host(bytes);
}

BufferMemory::BufferMemory(std::size_t bytes, HostMemory kind) {
  if (bytes == 0) return;
  if (kind != HostMemory::pinned || cuda::count_devices() == 0) {
    allocate_host(bytes);
    return;
  }
  data_ = cuda::allocate_pinned(bytes);
  source_ = Source::pinned;
}

BufferMemory::BufferMemory(std::size_t bytes, const Communicator& communicator)
    : device_(communicator.device()) {
  if (bytes == 0) return;
  if (!device_) {
    allocate_host(bytes);
    return;
  }
  allocate_device(bytes, true);
  try {
    registration_ = communicator.register_memory(data_, bytes);
  } catch (...) {
    BufferMemory given_back;
    given_back.swap(*this);
    throw;
  }
}

void BufferMemory::allocate_host(std::size_t bytes) {
  data_ = shareable::allocate(bytes);
  source_ = data_ != nullptr ? Source::shareable : Source::heap;
  if (data_ == nullptr) data_ = heap(bytes);
}

void BufferMemory::allocate_device(std::size_t bytes, bool by_nccl) {
  const cuda::DeviceGuard guard(device_.ordinal());
  if (by_nccl) data_ = nccl::allocate(bytes);
  source_ = data_ != nullptr ? Source::nccl : Source::cuda;
  if (data_ == nullptr) data_ = cuda::allocate_device(bytes);
}

// Deregistered before it is freed, whatever became of the communicator.
BufferMemory::~BufferMemory() {
  registration_.reset();
  try {
    switch (source_) {
      case Source::none:
        break;
      case Source::heap:
        std::free(data_);
        break;
      case Source::shareable:
        shareable::release(data_);
        break;
      case Source::pinned:
        cuda::free_pinned(data_);
        break;
      case Source::cuda:
      case Source::nccl: {
        const cuda::DeviceGuard guard(device_.ordinal());
        source_ == Source::nccl ? nccl::release(data_) : cuda::free_device(data_);
      }
    }
  } catch (const std::exception&) {
    // The driver is being unloaded, and with it goes the memory.
  }
}

void BufferMemory::swap(BufferMemory& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(device_, other.device_);
  std::swap(source_, other.source_);
  std::swap(registration_, other.registration_);
}

void BufferMemory::read(std::size_t offset, void* to, std::size_t bytes) const {
  copy(to, static_cast<const std::byte*>(data_) + offset, bytes, device_);
}

void BufferMemory::write(std::size_t offset, const void* from, std::size_t bytes) {
  copy(static_cast<std::byte*>(data_) + offset, from, bytes, device_);
}

}  // namespace tutti::detail
