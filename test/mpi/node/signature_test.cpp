// What all ranks must have in common, in one word: told apart, and told in words.
#include "mpi/node/signature.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "support/reference.hpp"

namespace tutti::test {
namespace {

using namespace mpi::node;
using Kind = OperationKind;

/// What the word holds, as a message says it.
std::string words_of(const Operation& op) {
  return mpi::node::describe(signature_of(op));
}

Operation operation(Kind kind, DataType type, const ReduceOp& op, int root, std::size_t count) {
  Operation made;
  made.kind = kind;
  made.op = op;
  made.root = root;
  made.send.type = made.receive.type = type;
  made.send.count = made.receive.count = count;
  return made;
}

TEST(NodeSignature, SaysWhatTheRanksHaveInCommon) {
  std::vector<float> four(4), eight(8);
  std::vector<std::int64_t> big(1000);
  EXPECT_EQ(words_of(all_reduce(four, sum)), "all_reduce of 4 float32, sum");
  EXPECT_EQ(words_of(reduce(big, max, 3)), "reduce of 1000 int64, max, root 3");
  EXPECT_EQ(words_of(broadcast(four, 511)), "broadcast of 4 float32, root 511");
  EXPECT_EQ(words_of(all_gather(four, eight)), "all_gather of 4 float32");
  EXPECT_EQ(words_of(gather(four, eight, 1)), "gather of 4 float32, root 1");
  EXPECT_EQ(words_of(scatter(eight, four, 0)), "scatter of 4 float32, root 0");
  EXPECT_EQ(words_of(reduce_scatter(eight, four, min)), "reduce_scatter of 4 float32, min");
  EXPECT_EQ(words_of(all_to_all(four, eight)), "all_to_all of 4 float32");
  EXPECT_EQ(words_of(scan(four, eight, prod)), "scan of 4 float32, prod");
  EXPECT_EQ(words_of(exclusive_scan(four, eight, sum)), "exclusive_scan of 4 float32, sum");
  EXPECT_EQ(words_of(barrier()), "barrier");
  const std::vector<std::size_t> counts{1, 3};
  EXPECT_EQ(words_of(all_gather(four, eight, Blocks(counts))),
            "all_gather of 4 in uneven blocks of float32");
  EXPECT_EQ(words_of(reduce_scatter(four, eight, sum, Blocks(counts))),
            "reduce_scatter of 4 in uneven blocks of float32, sum");
  EXPECT_EQ(words_of(gather(four, eight, 1, Blocks(counts))),
            "gather of uneven blocks of float32, root 1");
}

// Their counts may differ from rank to rank.
TEST(NodeSignature, OfUnevenBlocksIsEqualOnAllRanks) {
  std::vector<float> one(1), three(3), all(4), nothing;
  const std::vector<std::size_t> counts{1, 3};
  EXPECT_EQ(signature_of(all_gather(one, all, Blocks(counts))),
            signature_of(all_gather(three, all, Blocks(counts))));
  EXPECT_EQ(signature_of(gather(one, all, 0, Blocks(counts))),
            signature_of(gather(three, nothing, 0, Blocks())));
}

// A rank that takes another's block for longer than it is would read what nobody sent.
TEST(NodeSignature, TellsBlocksOfOtherSizesApart) {
  std::vector<float> one(1), three(3), all(5);
  const std::vector<std::size_t> counts{1, 3}, longer{1, 4};
  EXPECT_NE(signature_of(all_gather(one, all, Blocks(longer))),
            signature_of(all_gather(three, all, Blocks(counts))));
  EXPECT_NE(signature_of(reduce_scatter(all, one, sum, Blocks(longer))),
            signature_of(reduce_scatter(all, three, sum, Blocks(counts))));
}

TEST(NodeSignature, NoTwoOperationsShareOne) {
  std::map<Signature, std::string> seen;
  for (const Kind kind : all_operation_kinds)
    for (const DataType type : all_data_types)
      for (const ReduceOp::Kind op : all_reduce_kinds)
        for (const int root : {0, 1, 511})
          for (const std::size_t count :
               {std::size_t{0}, std::size_t{1}, (std::size_t{1} << 35) - 1})
            for (const bool uneven : {false, true}) {
              Operation made = operation(kind, type, reduce_op(op, type), root, count);
              made.uneven = uneven;
              const auto words = mpi::node::describe(signature_of(made));
              const auto what =
                  words + std::to_string(static_cast<int>(op)) + "," + std::to_string(root);
              const auto [at, fresh] = seen.emplace(signature_of(made), what);
              ASSERT_TRUE(fresh || at->second == what) << at->second << " and " << what;
              ASSERT_EQ(words.find(to_string(kind)), 0U) << words;
            }
}

TEST(NodeSignature, FieldsReachIntoNoOther) {
  const Operation most = operation(Kind::reduce, DataType::boolean,
                                   reduce_op(ReduceOp::Kind::bitwise_xor, DataType::uint8), 511,
                                   (std::size_t{1} << 35) - 1);
  EXPECT_EQ(words_of(most), "reduce of 34359738367 bool, bitwise_xor, root 511");
  // Beyond 35 bits counts are compared by their remainder.
  EXPECT_EQ(
      words_of(operation(Kind::all_gather, DataType::int8, sum, 0, (std::size_t{1} << 35) + 7)),
      "all_gather of 7 int8");
}

}  // namespace
}  // namespace tutti::test
