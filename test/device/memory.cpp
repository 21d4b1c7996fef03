#include "device/memory.hpp"

#include "cuda/memory.hpp"
#include "cuda/runtime.hpp"
#include "support/world.hpp"

namespace tutti::test {
namespace {

int own_device() {
  const int devices = cuda::count_devices();
  return devices == 0 ? 0 : rank() % devices;
}

class DeviceAllocator final : public Allocator {
 public:
  MemoryKind kind() const override { return MemoryKind::device; }
  void* allocate(std::size_t bytes) override {
    const cuda::DeviceGuard guard(own_device());
    return cuda::allocate_device(bytes == 0 ? 1 : bytes);
  }
  void release(void* memory) override {
    const cuda::DeviceGuard guard(own_device());
    cuda::free_device(memory);
  }
  void copy_in(void* to, const void* from, std::size_t bytes) override { copy(to, from, bytes); }
  void copy_out(void* to, const void* from, std::size_t bytes) override { copy(to, from, bytes); }

 private:
  static void copy(void* to, const void* from, std::size_t bytes) {
    const cuda::DeviceGuard guard(own_device());
    cuda::copy_on(cuda::legacy_stream(), to, from, bytes);
    cuda::Event done;
    done.record(cuda::legacy_stream());
    while (!done.done()) {
    }
  }
};

}  // namespace

Allocator& device_allocator() {
  static DeviceAllocator allocator;
  return allocator;
}

}  // namespace tutti::test
