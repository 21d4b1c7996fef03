#include "bench/pattern.hpp"

#include <algorithm>
#include <cstring>

#include "bench/reduction_values.hpp"

namespace tutti::bench {
namespace {

/// Prime, so that no block size is a multiple of it by habit.
constexpr std::size_t period = 1021;

template <class Value>
std::vector<std::byte> tabulate(DataType type, Value&& value) {
  std::vector<std::byte> table(period * size_of(type));
  with_type(type, [&]<class T>(T* /*tag*/) {
    for (std::size_t k = 0; k < period; ++k) {
      const T element = value(static_cast<T*>(nullptr), k);
      std::memcpy(table.data() + k * sizeof(T), &element, sizeof(T));
    }
  });
  return table;
}

std::size_t count_poison_losses(const std::byte* data, std::size_t count, std::size_t width) {
  std::size_t losses = 0;
  for (std::size_t i = 0; i < count; ++i)
    losses += std::any_of(data + i * width, data + (i + 1) * width,
                          [](std::byte b) { return b != std::byte{poison}; })
                  ? 1U
                  : 0U;
  return losses;
}

template <class T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

}  // namespace

const Pattern::Table& Pattern::input(int rank) {
  Table& table = inputs_[rank];
  if (table.empty())
    table = tabulate(recipe_.type,
                     [&]<class T>(T*, std::size_t k) { return input_value<T>(recipe_, rank, k); });
  return table;
}

const Pattern::Table& Pattern::expected(const Segment& segment) {
  if (segment.moved || !recipe_.op) return input(segment.first);
  Table& table = expected_[{segment.first, segment.last}];
  if (table.empty())
    table = tabulate(recipe_.type, [&]<class T>(T*, std::size_t k) {
      return expected_value<T>(recipe_, segment.first, segment.last, k);
    });
  return table;
}

void Pattern::fill(int rank, std::size_t index, void* out, std::size_t count) {
  const std::size_t width = size_of(recipe_.type);
  const Table& table = input(rank);
  auto* to = static_cast<std::byte*>(out);
  for (std::size_t done = 0; done < count;) {
    const std::size_t at = (index + done) % period;
    const std::size_t run = std::min(period - at, count - done);
    std::memcpy(to + done * width, table.data() + at * width, run * width);
    done += run;
  }
}

std::size_t Pattern::mismatches(const Segment& segment, std::size_t offset, const void* data,
                                std::size_t count) {
  const std::size_t width = size_of(recipe_.type);
  const auto* from = static_cast<const std::byte*>(data);
  if (segment.first == segment.last) return count_poison_losses(from, count, width);
  const Table& table = expected(segment);
  const std::size_t index = segment.source + offset;
  std::size_t wrong = 0;
  for (std::size_t done = 0; done < count;) {
    const std::size_t at = (index + done) % period;
    const std::size_t run = std::min(period - at, count - done);
    if (std::memcmp(table.data() + at * width, from + done * width, run * width) != 0)
      wrong += compare(table, at, from + done * width, run);
    done += run;
  }
  return wrong;
}

std::size_t Pattern::compare(const Table& table, std::size_t at, const std::byte* data,
                             std::size_t count) const {
  std::size_t wrong = 0;
  with_type(recipe_.type, [&]<class T>(T* /*tag*/) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::byte* const want = table.data() + (at + i) * sizeof(T);
      const std::byte* const got = data + i * sizeof(T);
      if (std::memcmp(want, got, sizeof(T)) == 0) continue;
      wrong +=
          std::is_same_v<T, bool> || !same_value(recipe_, load<T>(want), load<T>(got)) ? 1U : 0U;
    }
  });
  return wrong;
}

}  // namespace tutti::bench
