// What MPI is told of types and reductions: sizes, and functions that compute as tutti promises.
#include "mpi/wire.hpp"

#include <gtest/gtest.h>

#include "core/fold.hpp"
#include "support/reference.hpp"

namespace tutti::test {
namespace {

using Kind = ReduceOp::Kind;

// Case 59: some MPIs lack some types, whose names are then null.
TEST(Wire, EveryElementSizeHasAType) {
  for (const std::size_t bytes : {1U, 2U, 4U, 8U, 16U}) {
    const MPI_Datatype type = mpi::wire_type(bytes);
    ASSERT_NE(type, MPI_DATATYPE_NULL);
    int size = 0;
    MPI_Aint lower = 1, extent = 0;
    MPI_Type_size(type, &size);
    MPI_Type_get_extent(type, &lower, &extent);
    EXPECT_EQ(size, static_cast<int>(bytes));
    EXPECT_EQ(lower, 0);
    EXPECT_EQ(extent, static_cast<MPI_Aint>(bytes));
    EXPECT_EQ(mpi::wire_type(bytes), type) << "made once";
  }
}

TEST(Wire, ReductionsExistWherePartialResultsFitTheType) {
  for (const DataType type : all_data_types) {
    for (const Kind kind : all_reduce_kinds) {
      const MPI_Op op = mpi::wire_op(kind, type);
      EXPECT_EQ(op != MPI_OP_NULL, combine_function(kind, type) != nullptr)
          << to_string(kind) << " of " << to_string(type);
      EXPECT_EQ(mpi::wire_op(kind, type), op) << "made once";
    }
  }
}

TEST(Wire, ReductionsComputeAsTheReferenceDoes) {
  constexpr std::size_t count = 77;
  int reduced_pairs = 0;
  for (const DataType type : all_data_types) {
    for (const Kind kind : all_reduce_kinds) {
      const MPI_Op op = mpi::wire_op(kind, type);
      if (op == MPI_OP_NULL) continue;
      const std::size_t size = element_size(type);
      Bytes left = pattern(type, kind, 0, count), both = pattern(type, kind, 1, count);
      // The division of a mean comes once, at the end.
      const Bytes expected = reduced(type, kind == Kind::avg ? Kind::sum : kind, {left, both});
      ASSERT_EQ(MPI_Reduce_local(left.data(), both.data(), count, mpi::wire_type(size), op),
                MPI_SUCCESS);
      for (std::size_t at = 0; at < expected.size(); at += size)
        ASSERT_TRUE(equal_elements(type, &both[at], &expected[at]))
            << to_string(kind) << " of " << to_string(type) << ", byte " << at;
      ++reduced_pairs;
    }
  }
  EXPECT_GT(reduced_pairs, 80);
}

TEST(Wire, ReductionsMayBeReordered) {
  int commutes = 0;
  MPI_Op_commutative(mpi::wire_op(Kind::sum, DataType::float32), &commutes);
  EXPECT_EQ(commutes, 1) << "which lets MPI choose its faster algorithms";
}

}  // namespace
}  // namespace tutti::test
