#include "bench/memory.hpp"

#include <tutti/buffer.hpp>
#include <tutti/error.hpp>
#include <tutti/nccl.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "bench/device_runtime.hpp"
#include "common/machine.hpp"

namespace tutti::bench {
namespace {

class HostBuffer final : public Buffer {
 public:
  explicit HostBuffer(std::size_t bytes)
      : data_(std::aligned_alloc(
            alignment, (std::max<std::size_t>(bytes, 1) + alignment - 1) / alignment * alignment)) {
    if (data_ == nullptr) throw std::bad_alloc();
  }
  HostBuffer(const HostBuffer&) = delete;
  HostBuffer& operator=(const HostBuffer&) = delete;
  ~HostBuffer() override { std::free(data_); }

  void* data() const noexcept override { return data_; }
  void write(std::size_t offset, const void* from, std::size_t bytes) override {
    std::memcpy(static_cast<char*>(data_) + offset, from, bytes);
  }
  void read(std::size_t offset, void* to, std::size_t bytes) const override {
    std::memcpy(to, static_cast<const char*>(data_) + offset, bytes);
  }

 private:
  static constexpr std::size_t alignment = 64;
  void* data_;
};

class HostMemory final : public Memory {
 public:
  MemoryKind kind() const noexcept override { return MemoryKind::host; }
  std::string_view name() const noexcept override { return "host"; }
  std::size_t available() const override { return available_memory(); }
  std::unique_ptr<Buffer> allocate(std::size_t bytes) const override {
    return std::make_unique<HostBuffer>(bytes);
  }
};

/// A piece of a `tutti::Buffer`, wherever that lies.
class LibraryBuffer final : public Buffer {
 public:
  explicit LibraryBuffer(tutti::Buffer<std::byte> memory) : memory_(std::move(memory)) {}
  void* data() const noexcept override { return memory_.data(); }
  void write(std::size_t offset, const void* from, std::size_t bytes) override {
    memory_.write(static_cast<const std::byte*>(from), bytes, offset);
  }
  void read(std::size_t offset, void* to, std::size_t bytes) const override {
    memory_.read(static_cast<std::byte*>(to), bytes, offset);
  }

 private:
  mutable tutti::Buffer<std::byte> memory_;
};

class BufferMemory final : public Memory {
 public:
  MemoryKind kind() const noexcept override { return MemoryKind::host; }
  std::string_view name() const noexcept override { return "buffer"; }
  std::size_t available() const override { return available_memory(); }
  std::unique_ptr<Buffer> allocate(std::size_t bytes) const override {
    return std::make_unique<LibraryBuffer>(
        tutti::Buffer<std::byte>(std::max<std::size_t>(bytes, 1)));
  }
};

class DeviceMemory final : public Memory {
 public:
  explicit DeviceMemory(Device device) : device_(device) { use_device(device); }
  MemoryKind kind() const noexcept override { return MemoryKind::device; }
  std::string_view name() const noexcept override { return "device"; }
  std::size_t available() const override { return free_device_memory(); }
  std::unique_ptr<Buffer> allocate(std::size_t bytes) const override {
    return std::make_unique<LibraryBuffer>(
        tutti::Buffer<std::byte>(std::max<std::size_t>(bytes, 1), device_));
  }

 private:
  Device device_;
};

}  // namespace

std::unique_ptr<Memory> make_ordinary_memory() {
  return std::make_unique<HostMemory>();
}

std::unique_ptr<Memory> make_buffer_memory() {
  return std::make_unique<BufferMemory>();
}

std::unique_ptr<Memory> make_device_memory(const Communicator& communicator) {
  if (!communicator.device())
    throw Error(Errc::unsupported,
                "--memory device: this rank has no device: " + nccl_available().reason);
  return std::make_unique<DeviceMemory>(communicator.device());
}

}  // namespace tutti::bench
