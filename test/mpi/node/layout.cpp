#include "mpi/node/layout.hpp"

#include <mpi.h>

namespace {
/// The node of each rank of MPI_COMM_WORLD; null: what MPI says.
const std::vector<int>* pretended = nullptr;
}  // namespace

extern "C" int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info,
                                   MPI_Comm* result) {
  if (pretended == nullptr) return PMPI_Comm_split_type(comm, type, key, info, result);
  const auto rank = static_cast<std::size_t>(tutti::test::rank());
  return PMPI_Comm_split(comm, (*pretended)[rank], key, result);
}

namespace tutti::test {

std::string name_of(const std::vector<int>& layout) {
  std::string name;
  for (const int node : layout) name += std::to_string(node);
  return name;
}

Layout::Layout() {
  layout_.resize(static_cast<std::size_t>(size()));
  pretended = &layout_;
}

Layout::~Layout() {
  pretended = nullptr;
}

std::vector<int> numbers_of(int rank, std::size_t count) {
  std::vector<int> numbers(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = rank * 1000 + static_cast<int>(i % 1000);
  return numbers;
}

std::vector<int> total(int ranks, std::size_t count) {
  std::vector<int> sums(count);
  for (int r = 0; r < ranks; ++r) {
    const auto theirs = numbers_of(r, count);
    for (std::size_t i = 0; i < count; ++i) sums[i] += theirs[i];
  }
  return sums;
}

}  // namespace tutti::test
