#include "support/area.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iomanip>
#include <sstream>

namespace tutti::test {
namespace {

constexpr std::size_t margin = 64;
constexpr std::byte poison{0xa5};

class HostAllocator final : public Allocator {
 public:
  MemoryKind kind() const override { return MemoryKind::host; }
  void* allocate(std::size_t bytes) override {
    return std::aligned_alloc(margin, (bytes + margin - 1) / margin * margin);
  }
  void release(void* memory) override { std::free(memory); }
  void copy_in(void* to, const void* from, std::size_t bytes) override {
    std::memcpy(to, from, bytes);
  }
  void copy_out(void* to, const void* from, std::size_t bytes) override {
    std::memcpy(to, from, bytes);
  }
};

void print(std::ostream& out, const std::byte* bytes, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    out << std::hex << std::setw(2) << std::setfill('0') << std::to_integer<int>(bytes[i])
        << std::dec;
}

}  // namespace

Allocator& host_allocator() {
  static HostAllocator allocator;
  return allocator;
}

Area::Area(Allocator& allocator, DataType type, std::size_t count, std::size_t shift)
    : allocator_(&allocator),
      type_(type),
      count_(count),
      lead_(margin + shift * element_alignment(type)),
      picture_(lead_ + count * element_size(type) + margin, poison),
      memory_(allocator.allocate(picture_.size()), Release{&allocator}) {
  allocator.copy_in(memory_.get(), picture_.data(), picture_.size());
}

Area::~Area() = default;

std::byte* Area::first() const {
  return static_cast<std::byte*>(memory_.get()) + lead_;
}

Area& Area::put(std::size_t offset, const Bytes& elements) {
  const std::size_t at = offset * element_size(type_);
  expect(offset, elements);
  if (!elements.empty()) allocator_->copy_in(first() + at, elements.data(), elements.size());
  return *this;
}

void Area::expect(std::size_t offset, const Bytes& elements) {
  std::copy(elements.begin(), elements.end(),
            picture_.begin() + static_cast<std::ptrdiff_t>(lead_ + offset * element_size(type_)));
}

testing::AssertionResult Area::holds(std::size_t offset, const Bytes& elements) {
  expect(offset, elements);
  Bytes found(picture_.size());
  allocator_->copy_out(found.data(), memory_.get(), found.size());
  const std::size_t size = element_size(type_);
  const auto outside = [&](std::size_t begin, std::size_t end) {
    return std::memcmp(found.data() + begin, picture_.data() + begin, end - begin) != 0;
  };
  if (outside(0, lead_)) return testing::AssertionFailure() << "written before the memory";
  if (outside(lead_ + count_ * size, found.size()))
    return testing::AssertionFailure() << "written behind the memory";
  for (std::size_t i = 0; i < count_; ++i) {
    const std::size_t at = lead_ + i * size;
    if (equal_elements(type_, &found[at], &picture_[at])) continue;
    auto result = testing::AssertionFailure() << "element " << i << " of " << count_ << " type "
                                              << static_cast<int>(type_) << ": found bytes ";
    std::ostringstream text;
    print(text, &found[at], size);
    text << ", expected ";
    print(text, &picture_[at], size);
    return result << text.str();
  }
  return testing::AssertionSuccess();
}

Bytes Area::read(std::size_t offset, std::size_t count) const {
  Bytes result(count * element_size(type_));
  if (!result.empty())
    allocator_->copy_out(result.data(), first() + offset * element_size(type_), result.size());
  return result;
}

}  // namespace tutti::test
