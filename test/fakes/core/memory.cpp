#include "core/memory.hpp"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include "core/script.hpp"

namespace fake {
namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t default_total = std::size_t{4} << 30;
constexpr std::size_t largest_fill = std::size_t{1} << 20;

struct Blocks {
  std::mutex mutex;
  std::map<std::uintptr_t, Block> blocks;
  std::map<int, std::size_t> used;
};

Blocks& registry() {
  static auto* instance = new Blocks;  // outlives every detached worker
  return *instance;
}

std::uintptr_t address(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

std::size_t total_bytes() {
  const auto total = Script::get().setting("memory", "total");
  return total ? static_cast<std::size_t>(*total) : default_total;
}

/** Free bytes of a device; the registry is locked. */
std::size_t free_bytes(const Blocks& known, int device) {
  const auto used = known.used.find(device);
  const std::size_t taken = used == known.used.end() ? 0 : used->second;
  const auto limit = Script::get().setting("memory", "free");
  const std::size_t room = limit ? static_cast<std::size_t>(*limit) : total_bytes();
  return taken < room ? room - taken : 0;
}

std::optional<Block> find_locked(const Blocks& known, const void* pointer) {
  auto next = known.blocks.upper_bound(address(pointer));
  if (next == known.blocks.begin()) return std::nullopt;
  const Block& block = std::prev(next)->second;
  if (!block.holds(pointer, 1)) return std::nullopt;
  return block;
}

bool counts(cudaMemoryType type) {
  return type == cudaMemoryTypeDevice || type == cudaMemoryTypeManaged;
}

}  // namespace

bool Block::holds(const void* pointer, std::size_t size) const {
  const std::uintptr_t from = address(pointer), first = address(begin);
  return from >= first && from - first <= bytes && size <= bytes - (from - first);
}

cudaError_t allocate(void** pointer, std::size_t bytes, cudaMemoryType type, int device) {
  if (pointer == nullptr) return cudaErrorInvalidValue;
  *pointer = nullptr;
  if (bytes == 0) return cudaSuccess;
  Blocks& known = registry();
  const std::lock_guard lock(known.mutex);
  if (counts(type) && bytes > free_bytes(known, device)) return cudaErrorMemoryAllocation;
  if (bytes > SIZE_MAX - page) return cudaErrorMemoryAllocation;
  void* memory = std::aligned_alloc(page, (bytes + page - 1) / page * page);
  if (memory == nullptr) return cudaErrorMemoryAllocation;
  std::memset(memory, 0xA5, bytes < largest_fill ? bytes : largest_fill);
  known.blocks[address(memory)] = {static_cast<char*>(memory), bytes, type, device, false};
  if (counts(type)) known.used[device] += bytes;
  *pointer = memory;
  return cudaSuccess;
}

cudaError_t release(void* pointer, cudaMemoryType type) {
  if (pointer == nullptr) return cudaSuccess;
  Blocks& known = registry();
  const std::lock_guard lock(known.mutex);
  const auto found = known.blocks.find(address(pointer));
  if (found == known.blocks.end() || found->second.registered) return cudaErrorInvalidValue;
  const Block block = found->second;
  const bool managed = block.type == cudaMemoryTypeManaged && type == cudaMemoryTypeDevice;
  if (block.type != type && !managed) return cudaErrorInvalidValue;
  if (counts(block.type)) known.used[block.device] -= block.bytes;
  known.blocks.erase(found);
  std::free(pointer);
  return cudaSuccess;
}

cudaError_t register_host(void* pointer, std::size_t bytes, int device) {
  if (pointer == nullptr || bytes == 0) return cudaErrorInvalidValue;
  Blocks& known = registry();
  const std::lock_guard lock(known.mutex);
  if (find_locked(known, pointer)) return cudaErrorHostMemoryAlreadyRegistered;
  known.blocks[address(pointer)] = {static_cast<char*>(pointer), bytes, cudaMemoryTypeHost, device,
                                    true};
  return cudaSuccess;
}

cudaError_t unregister_host(void* pointer) {
  Blocks& known = registry();
  const std::lock_guard lock(known.mutex);
  const auto found = known.blocks.find(address(pointer));
  if (found == known.blocks.end() || !found->second.registered) {
    return cudaErrorHostMemoryNotRegistered;
  }
  known.blocks.erase(found);
  return cudaSuccess;
}

std::optional<Block> find_block(const void* pointer) {
  Blocks& known = registry();
  const std::lock_guard lock(known.mutex);
  return find_locked(known, pointer);
}

bool device_may_touch(const void* pointer, std::size_t bytes) {
  if (bytes == 0) return true;
  const auto block = find_block(pointer);
  return block && block->holds(pointer, bytes);
}

void memory_info(int device, std::size_t* free, std::size_t* total) {
  Blocks& known = registry();
  const std::lock_guard lock(known.mutex);
  *total = total_bytes();
  *free = free_bytes(known, device);
}

}  // namespace fake
