#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "support/reference.hpp"
#include "tutti/memory.hpp"

namespace tutti::test {

/// Memory that operations work on: the host's, or a device's.
class Allocator {
 public:
  virtual ~Allocator() = default;
  virtual MemoryKind kind() const = 0;
  virtual void* allocate(std::size_t bytes) = 0;
  virtual void release(void* memory) = 0;
  virtual void copy_in(void* to, const void* from, std::size_t bytes) = 0;
  virtual void copy_out(void* to, const void* from, std::size_t bytes) = 0;
};

Allocator& host_allocator();

/// Elements with poison on both sides, and a picture of what every byte should be. Operations get
/// views of it; `holds` compares all of it, so that what an operation should leave alone is checked
/// along with its result.
class Area {
 public:
  /// `shift` moves the first element off a 64-byte boundary, by so many times its alignment.
  Area(Allocator& allocator, DataType type, std::size_t count, std::size_t shift = 1);
  Area(Area&&) noexcept = default;
  ~Area();

  /// Writes elements, which `holds` then expects to find.
  Area& put(std::size_t offset, const Bytes& elements);

  SendView send() const { return view<SendView>(0, count_); }
  SendView send(std::size_t offset, std::size_t count) const {
    return view<SendView>(offset, count);
  }
  ReceiveView receive() const { return view<ReceiveView>(0, count_); }
  ReceiveView receive(std::size_t offset, std::size_t count) const {
    return view<ReceiveView>(offset, count);
  }

  /// Changes what `holds` expects, not the memory.
  void expect(std::size_t offset, const Bytes& elements);

  /// Whether these elements now lie at `offset`, and everything else is as it was. What is found to
  /// be right is expected from then on.
  testing::AssertionResult holds(std::size_t offset, const Bytes& elements);
  testing::AssertionResult is_unchanged() { return holds(0, {}); }

  Bytes read(std::size_t offset, std::size_t count) const;
  DataType type() const { return type_; }
  std::size_t count() const { return count_; }

 private:
  struct Release {
    Allocator* allocator;
    void operator()(void* memory) const { allocator->release(memory); }
  };

  template <class View>
  View view(std::size_t offset, std::size_t count) const {
    View result;
    result.data = first() + offset * element_size(type_);
    result.count = count;
    result.type = type_;
    result.kind = allocator_->kind();
    result.given = true;
    return result;
  }
  std::byte* first() const;

  Allocator* allocator_;
  DataType type_;
  std::size_t count_;
  std::size_t lead_;  // bytes before the first element
  Bytes picture_;
  std::unique_ptr<void, Release> memory_;
};

/// No elements at a null pointer.
template <class View>
View nothing(DataType type) {
  View result;
  result.type = type;
  result.given = true;
  return result;
}

}  // namespace tutti::test
