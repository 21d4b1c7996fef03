// The copy past the caches, at every alignment and length around its lines, with guards on both
// sides.
#include "core/streaming_copy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace tutti::test {
namespace {

constexpr std::size_t line = 64;
constexpr unsigned char guard = 0xa5;

/// Bytes of which no two lines are alike.
std::vector<unsigned char> source(std::size_t bytes) {
  std::vector<unsigned char> data(bytes);
  for (std::size_t i = 0; i < bytes; ++i)
    data[i] = static_cast<unsigned char>(i * 37 + i / 256 * 11);
  return data;
}

/// Memory that begins with a line.
class Area {
 public:
  explicit Area(std::size_t bytes) : memory_(bytes + line) {
    begin_ = line - reinterpret_cast<std::uintptr_t>(memory_.data()) % line;
  }
  unsigned char* at(std::size_t offset) { return memory_.data() + begin_ + offset; }
  void clear() { std::fill(memory_.begin(), memory_.end(), guard); }
  std::ptrdiff_t guards() const { return std::count(memory_.begin(), memory_.end(), guard); }
  std::size_t size() const { return memory_.size(); }

 private:
  std::vector<unsigned char> memory_;
  std::size_t begin_;
};

void expect_copy(Area& to, std::size_t to_offset, const unsigned char* from, std::size_t bytes) {
  to.clear();
  streaming_copy(to.at(to_offset), from, bytes);
  ASSERT_EQ(std::memcmp(to.at(to_offset), from, bytes), 0) << to_offset << ", " << bytes;
  const std::ptrdiff_t among_the_copied = std::count(from, from + bytes, guard);
  ASSERT_EQ(to.guards() - among_the_copied, static_cast<std::ptrdiff_t>(to.size() - bytes))
      << to_offset << ", " << bytes << " bytes: something beside them was written";
}

TEST(StreamingCopy, OfEveryLengthAndAlignment) {
  const auto data = source(512);
  Area to(512);
  for (std::size_t to_offset = line; to_offset < 2 * line; ++to_offset)
    for (const unsigned from_offset : {0U, 1U, 8U, 31U, 63U})
      for (std::size_t bytes = 0; bytes <= 300; ++bytes)
        expect_copy(to, to_offset, data.data() + from_offset, bytes);
}

TEST(StreamingCopy, OfMuch) {
  const auto data = source((std::size_t{1} << 20) + 100);
  Area to(data.size() + 2 * line);
  for (const std::size_t bytes : {std::size_t{4096}, std::size_t{100001}, data.size()})
    for (const unsigned to_offset : {64U, 65U, 127U})
      expect_copy(to, to_offset, data.data(), bytes);
}

TEST(StreamingCopy, OntoItselfChangesNothing) {
  const auto data = source(1000);
  auto copy = data;
  streaming_copy(copy.data(), copy.data(), copy.size());
  EXPECT_EQ(copy, data);
  streaming_copy(nullptr, nullptr, 0);
}

}  // namespace
}  // namespace tutti::test
