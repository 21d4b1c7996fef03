#pragma once

#include <memory>

#include "support/reference.hpp"
#include "tutti/memory.hpp"

namespace tutti::test {

/// Memory for what is built and never done, as either side of an operation. A default-made one is
/// the memory of a rank where that side does not matter.
class Elements {
 public:
  Elements() = default;
  Elements(DataType type, std::size_t count)
      : bytes_(std::make_shared<Bytes>(count * element_size(type))), type_(type), count_(count) {}

  std::byte* first() const { return bytes_->data(); }
  operator SendView() const { return view<SendView>(); }        // NOLINT: as ranges do
  operator ReceiveView() const { return view<ReceiveView>(); }  // NOLINT: as ranges do

 private:
  template <class View>
  View view() const {
    View result;
    result.data = bytes_ != nullptr ? bytes_->data() : nullptr;
    result.count = count_;
    result.type = type_;
    result.given = bytes_ != nullptr;
    return result;
  }

  std::shared_ptr<Bytes> bytes_;
  DataType type_ = DataType::byte;
  std::size_t count_ = 0;
};

}  // namespace tutti::test
