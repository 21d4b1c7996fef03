#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "tutti/tutti.hpp"

namespace tutti::test {
namespace {

// Long enough to be worked on in place by all ranks, with a last slice that is shorter.
constexpr std::size_t elements = 300'007;

std::vector<double> values_of(int rank) {
  std::vector<double> values(elements);
  for (std::size_t i = 0; i < elements; ++i)
    values[i] = static_cast<double>(i % 1000) + 1000.0 * rank;
  return values;
}

/// The sum over ranks 0 to size - 1 of what `values_of` gives: exact in doubles.
double sum_at(std::size_t i, int size) {
  return size * static_cast<double>(i % 1000) + 1000.0 * size * (size - 1) / 2;
}

void expect_sums(const double* data, int size) {
  for (std::size_t i = 0; i < elements; ++i) ASSERT_EQ(data[i], sum_at(i, size)) << "element " << i;
}

TEST(SharedBuffers, LongArraysOfAllRanksAreReducedInPlaceAndAside) {
  const Communicator world(MPI_COMM_WORLD);
  Buffer<double> in(elements), out(elements);
  for (int turn = 0; turn < 2; ++turn) {
    in.write(values_of(world.rank()).data(), elements);
    world.all_reduce(in, out);
    expect_sums(out.data(), world.size());
    world.all_reduce(in);
    expect_sums(in.data(), world.size());
  }
}

TEST(SharedBuffers, PartsOfBuffersAreFoundWhereTheyLie) {
  const Communicator world(MPI_COMM_WORLD);
  const std::size_t offset = 17 + static_cast<std::size_t>(world.rank());  // another on each rank
  Buffer<double> data(elements + 100);
  std::fill(data.data(), data.data() + data.size(), -1.0);
  data.write(values_of(world.rank()).data(), elements, offset);
  world.all_reduce(std::span<double>(data.data() + offset, elements));
  expect_sums(data.data() + offset, world.size());
  EXPECT_EQ(data.data()[offset - 1], -1.0);
  EXPECT_EQ(data.data()[offset + elements], -1.0);
}

TEST(SharedBuffers, OneRankWithOrdinaryMemoryIsEnoughToCopy) {
  const Communicator world(MPI_COMM_WORLD);
  std::vector<double> ordinary = values_of(world.rank());
  std::optional<Buffer<double>> buffer;
  double* data = ordinary.data();
  if (world.rank() != 0) {
    buffer.emplace(elements);
    buffer->write(ordinary.data(), elements);
    data = buffer->data();
  }
  world.all_reduce(std::span<double>(data, elements));
  expect_sums(data, world.size());
}

TEST(SharedBuffers, ReleasedMemoryIsNotMistakenForItsSuccessor) {
  const Communicator world(MPI_COMM_WORLD);
  for (int turn = 0; turn < 4; ++turn) {
    Buffer<double> data(elements + static_cast<std::size_t>(turn) * 1000);
    data.write(values_of(world.rank()).data(), elements);
    world.all_reduce(std::span<double>(data.data(), elements));
    expect_sums(data.data(), world.size());
  }
}

}  // namespace
}  // namespace tutti::test
