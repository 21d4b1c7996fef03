#pragma once

#include <tutti/communicator.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace tutti::bench {

/// A piece of memory of one kind; freed with the object.
class Buffer {
 public:
  virtual ~Buffer() = default;
  virtual void* data() const noexcept = 0;
  /// To and from host memory, complete on return. `offset` and `bytes` lie inside.
  virtual void write(std::size_t offset, const void* from, std::size_t bytes) = 0;
  virtual void read(std::size_t offset, void* to, std::size_t bytes) const = 0;
};

/// A kind of memory to measure on. Not thread-safe.
class Memory {
 public:
  virtual ~Memory() = default;
  virtual MemoryKind kind() const noexcept = 0;
  virtual std::string_view name() const noexcept = 0;
  /// Bytes that this process could still use if it were alone on its node or device.
  virtual std::size_t available() const = 0;
  /// @throws std::bad_alloc
  virtual std::unique_ptr<Buffer> allocate(std::size_t bytes) const = 0;
};

/// Host memory as a program has it that does not care: "host".
std::unique_ptr<Memory> make_ordinary_memory();
/// Host memory that a `tutti::Buffer` allocates: "buffer".
std::unique_ptr<Memory> make_buffer_memory();
/// "device".
/// @throws tutti::Error (unsupported), saying why there is no such memory here.
std::unique_ptr<Memory> make_device_memory(const Communicator& communicator);

}  // namespace tutti::bench
