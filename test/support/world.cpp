#include "support/world.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <array>

namespace tutti::test {

int rank() {
  int result = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &result);
  return result;
}

int size() {
  int result = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &result);
  return result;
}

void meet() {
  MPI_Barrier(MPI_COMM_WORLD);
}

bool same_on_all_ranks(std::uint64_t value) {
  // The smallest value and the smallest complement agree only if all are equal.
  std::array<std::uint64_t, 2> both{value, ~value};
  MPI_Allreduce(MPI_IN_PLACE, both.data(), 2, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
  return both[0] == ~both[1];
}

int ranks_that_say(bool yes) {
  int count = yes ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &count, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return count;
}

std::uint64_t hash(const void* data, std::size_t bytes, std::uint64_t seed) {
  const auto* p = static_cast<const unsigned char*>(data);
  for (std::size_t i = 0; i < bytes; ++i) seed = (seed ^ p[i]) * 0x100000001b3U;
  return seed;
}

Failure failure_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return {true, error.code(), error.what()};
  }
  return {};
}

Failure agreed_failure_of(const std::function<void()>& call) {
  const Failure failure = failure_of(call);
  const auto word = failure.thrown ? static_cast<std::uint64_t>(failure.code) : ~std::uint64_t{0};
  const bool agreed = same_on_all_ranks(word);
  EXPECT_TRUE(failure.thrown) << "no error on rank " << rank();
  EXPECT_TRUE(agreed) << "the ranks ended differently; here: "
                      << (failure.thrown ? failure.text : "no error");
  return failure;
}

}  // namespace tutti::test
