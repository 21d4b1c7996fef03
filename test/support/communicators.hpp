#pragma once

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "support/world.hpp"
#include "tutti/communicator.hpp"

namespace tutti::test {

/// A communicator over all ranks, and a look at whether it still works.
class OnWorld : public testing::Test {
 protected:
  int rank() const { return test::rank(); }
  int size() const { return test::size(); }
  std::size_t ranks() const { return static_cast<std::size_t>(size()); }

  static void expect_works(const Communicator& communicator) {
    std::vector<int> data{communicator.rank() + 1, 1};
    communicator.all_reduce(data, sum);
    const int n = communicator.size();
    EXPECT_EQ(data, (std::vector<int>{n * (n + 1) / 2, n}));
  }

  Communicator world_{MPI_COMM_WORLD};
};

inline testing::AssertionResult has(const std::string& text, const std::string& word) {
  if (text.find(word) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "'" << word << "' is not in: " << text;
}

}  // namespace tutti::test
