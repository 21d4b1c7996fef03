// Parts that need no device: versions, settings of NCCL's, who can join, what NCCL can reduce.
#include <gtest/gtest.h>

#include <cstring>

#include "core/reducible.hpp"
#include "nccl/facts.hpp"
#include "nccl/rounds.hpp"
#include "nccl/table.hpp"
#include "nccl/version.hpp"

namespace tutti::nccl {
namespace {

// Case 136.
TEST(NcclVersion, BothCodingsAreRead) {
  EXPECT_EQ(version_text(2708), "2.7.8");
  EXPECT_EQ(version_text(2803), "2.8.3");
  EXPECT_EQ(version_text(20906), "2.9.6");
  EXPECT_EQ(version_text(22304), "2.23.4");
  EXPECT_EQ(version_text(22809), "2.28.9");
}

TEST(NcclInterfaces, RulesAreNccls) {
  const std::vector<std::string> here{"lo", "eth0", "ib1"};
  EXPECT_TRUE(names_an_interface("eth", here));
  EXPECT_TRUE(names_an_interface("=eth0,ens3", here));
  EXPECT_FALSE(names_an_interface("=eth", here));
  EXPECT_FALSE(names_an_interface("ens", here));
  EXPECT_TRUE(names_an_interface("^lo", here));
  EXPECT_FALSE(names_an_interface("^lo,eth,ib", here));
  EXPECT_FALSE(names_an_interface("^=lo,eth0,ib1", here));
  EXPECT_TRUE(names_an_interface("", here));
}

std::vector<Facts> ranks(std::size_t n) {
  std::vector<Facts> all(n);
  for (std::size_t r = 0; r < n; ++r) {
    std::strcpy(all[r].host, "node7");
    all[r].uuid[0] = static_cast<unsigned char>(r + 1);
    all[r].device = static_cast<std::int32_t>(r);
    all[r].version = 22809;
  }
  return all;
}

TEST(NcclFacts, TogetherOrWhyNot) {
  EXPECT_EQ(why_not_together(ranks(4)), "");
  auto shared = ranks(4);
  shared[3].uuid = shared[1].uuid;
  EXPECT_NE(why_not_together(shared).find("ranks 1 and 3 share device 3"), std::string::npos);
  std::strcpy(shared[3].host, "node8");
  EXPECT_EQ(why_not_together(shared), "") << "on another node it is another device";
  auto older = ranks(2);
  older[1].version = 22304;
  EXPECT_NE(why_not_together(older).find("2.23.4"), std::string::npos);
  auto lacking = ranks(3);
  std::strcpy(lacking[2].why_not, "no driver");
  EXPECT_EQ(why_not_together(lacking), "rank 2 (node7): no driver");
}

TEST(NcclFacts, VariablesThatDifferAreNamedWithTwoRanks) {
  auto all = ranks(3);
  EXPECT_TRUE(differing_variables(all).empty());
  all[2].variables[0] = 17;
  const auto lines = differing_variables(all);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_NE(lines[0].find("NCCL_ALGO differs between ranks 0 (node7) and 2 (node7)"),
            std::string::npos)
      << lines[0];
}

// Messages between two ranks meet whatever else is in the groups of the two.
TEST(NcclRounds, BothEndsOfAMessageAreInTheSameRound) {
  constexpr int n = 4;
  std::vector<std::vector<Operation>> groups(n);
  for (int me = 0; me < n; ++me)
    for (int k = 0; k < 1000; ++k) {
      const int peer = me ^ 1;
      // Rank 0 and 1 have much more to do with one another than with the others.
      groups[static_cast<std::size_t>(me)].push_back(me % 2 == 0 ? send(SendView(), peer)
                                                                 : recv(ReceiveView(), peer));
      if (k % 10 == 0) groups[static_cast<std::size_t>(me)].push_back(barrier());
      if (me < 2)
        groups[static_cast<std::size_t>(me)].insert(
            groups[static_cast<std::size_t>(me)].begin(),
            send_recv(SendView(), peer, ReceiveView(), peer));
    }
  std::vector<std::vector<std::vector<Operation>>> rounds;
  for (const auto& group : groups) rounds.push_back(rounds_of({group.data(), group.size()}, n));
  const auto count = [&](int rank, std::size_t round, OperationKind kind, int peer) {
    std::size_t found = 0;
    const auto& of_rank = rounds[static_cast<std::size_t>(rank)];
    if (round < of_rank.size())
      for (const Operation& op : of_rank[round])
        if (op.kind == kind && (kind == OperationKind::barrier ||
                                (kind == OperationKind::send ? op.to : op.from) == peer))
          ++found;
    return found;
  };
  for (std::size_t round = 0; round < rounds[0].size(); ++round)
    for (int a = 0; a < n; ++a) {
      EXPECT_EQ(count(a, round, OperationKind::barrier, 0),
                count(0, round, OperationKind::barrier, 0));
      for (int b = 0; b < n; ++b)
        EXPECT_EQ(count(a, round, OperationKind::send, b), count(b, round, OperationKind::recv, a));
    }
  for (const auto& of_rank : rounds)
    for (const auto& round : of_rank) EXPECT_LE(round.size(), 2048U);
  EXPECT_TRUE(fit_one_round(128, n));
  EXPECT_FALSE(fit_one_round(129, n));
}

Operation operation(ReduceOp::Kind kind, DataType type) {
  Operation op;
  op.kind = OperationKind::all_reduce;
  op.op = kind == ReduceOp::Kind::pre_multiplied ? pre_multiplied(2) : ReduceOp(kind);
  op.send.type = op.receive.type = type;
  op.send.given = op.receive.given = true;
  return op;
}

// Case 115, and the promise of reduce_op.hpp: where NCCL's arithmetic differs it is not used.
TEST(NcclTable, EveryCell) {
  const Abilities hopper{22809, 9}, ampere{22809, 8}, old{22304, 9};
  for (const DataType type : all_data_types) {
    for (const ReduceOp::Kind kind : all_reduce_kinds) {
      if (!is_reducible(kind, type)) continue;
      using Kind = ReduceOp::Kind;
      const TypeFamily family = family_of(type);
      const bool short_integer = type == DataType::int16 || type == DataType::uint16;
      const bool arithmetic = kind == Kind::sum || kind == Kind::prod || kind == Kind::avg ||
                              kind == Kind::pre_multiplied;
      bool expected = false;
      if (family == TypeFamily::integer)
        expected = !short_integer &&
                   ((arithmetic && kind != Kind::avg) || kind == Kind::min || kind == Kind::max);
      if (family == TypeFamily::real) expected = arithmetic;
      if (family == TypeFamily::complex) expected = arithmetic && kind != Kind::prod;
      const Support support = supported(operation(kind, type), hopper);
      EXPECT_EQ(support.yes, expected)
          << to_string(kind) << " of " << to_string(type) << ": " << support.reason;
      EXPECT_EQ(support.yes, support.reason.empty());
    }
  }
  for (const Abilities& lesser : {ampere, old})
    EXPECT_FALSE(supported(operation(ReduceOp::Kind::sum, DataType::float8_e4m3), lesser));
  EXPECT_EQ(movement_wire(DataType::boolean).type, ncclUint8);
  EXPECT_EQ(movement_wire(DataType::uint16).per_element, 2U);
}

}  // namespace
}  // namespace tutti::nccl
