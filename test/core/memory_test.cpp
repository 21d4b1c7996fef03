// What may be passed as memory is known at compile time.
#include "tutti/memory.hpp"

#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <list>
#include <span>
#include <string>
#include <vector>

namespace tutti::test {
namespace {

struct Unknown {
  int value;
};
enum class Colour { red };

// As deduced by a forwarding reference: T& for an lvalue, T for a temporary.
static_assert(is_receive_range_v<std::vector<float>&>);
static_assert(is_receive_range_v<std::array<int, 3>&>);
static_assert(is_receive_range_v<double (&)[4]>);
static_assert(is_receive_range_v<std::span<int>>);
static_assert(is_receive_range_v<std::span<int>&>);
static_assert(is_receive_range_v<const std::span<int>&>);
static_assert(is_receive_range_v<std::span<bool>>);
static_assert(is_receive_range_v<std::vector<char>&>);
static_assert(is_receive_range_v<std::string&>);
static_assert(is_receive_range_v<DeviceSpan<float>>);
static_assert(is_receive_range_v<const DeviceSpan<float>&>);
static_assert(is_receive_range_v<std::vector<std::byte>&>);
static_assert(is_send_range_v<const std::vector<float>&>);
static_assert(is_send_range_v<std::span<const int>>);
static_assert(is_send_range_v<DeviceSpan<const float>>);

// Temporaries that own their elements are gone before the operation ends.
static_assert(!is_send_range_v<std::vector<float>>);
static_assert(!is_receive_range_v<std::vector<float>>);
static_assert(!is_send_range_v<std::array<int, 3>>);
static_assert(!is_send_range_v<const std::vector<float>>);
// Constant elements.
static_assert(!is_receive_range_v<const std::vector<float>&>);
static_assert(!is_receive_range_v<std::span<const int>>);
static_assert(!is_receive_range_v<DeviceSpan<const float>>);
static_assert(!is_receive_range_v<const std::array<int, 3>&>);
static_assert(!is_receive_range_v<const double (&)[4]>);
// Not contiguous, or bits.
static_assert(!is_send_range_v<std::vector<bool>&>);
static_assert(!is_receive_range_v<std::vector<bool>&>);
static_assert(!is_send_range_v<std::deque<int>&>);
static_assert(!is_send_range_v<std::list<int>&>);
// Element types that have no meaning on the wire.
static_assert(!is_send_range_v<std::vector<Unknown>&>);
static_assert(!is_send_range_v<std::vector<Colour>&>);
static_assert(!is_send_range_v<std::vector<int*>&>);
static_assert(!is_send_range_v<std::wstring&>);
static_assert(!is_send_range_v<std::u16string&>);
static_assert(!is_send_range_v<std::u8string&>);
static_assert(!is_send_range_v<std::vector<long double>&>);
static_assert(!is_send_range_v<int>);
static_assert(!is_send_range_v<int*>);
static_assert(!is_send_range_v<std::vector<std::vector<int>>&>);

TEST(Memory, ViewsSeeWhatTheyAreMadeFrom) {
  std::vector<double> data(5);
  const ReceiveView view(data);
  EXPECT_EQ(view.data, data.data());
  EXPECT_EQ(view.count, 5U);
  EXPECT_EQ(view.type, DataType::float64);
  EXPECT_EQ(view.bytes(), 40U);
  EXPECT_TRUE(view.given);
  EXPECT_FALSE(SendView{}.given);
}

TEST(Memory, DeviceSpansSayWhereTheyLie) {
  DeviceSpan<float> device(reinterpret_cast<float*>(0x1000), 8);
  EXPECT_EQ(SendView(device).kind, MemoryKind::device);
  EXPECT_EQ(SendView(device.subspan(2, 3)).data, reinterpret_cast<void*>(0x1008));
  EXPECT_EQ(device.subspan(2, 3).size(), 3U);
}

}  // namespace
}  // namespace tutti::test
