#include "bench/memory.hpp"

#include <tutti/error.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

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

}  // namespace

std::unique_ptr<Memory> make_memory(MemoryKind kind) {
  if (kind == MemoryKind::device)
    throw Error(Errc::unsupported,
                "--memory device needs tutti's device backend, which this build does not have; "
                "use --memory host");
  return std::make_unique<HostMemory>();
}

}  // namespace tutti::bench
