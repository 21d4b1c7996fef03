// The table in docs/support.md is what the library says of itself, and what the library says is
// what the design defines.
#include "info/support.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "support/reference.hpp"
#include "support/world.hpp"

namespace tutti::test {
namespace {

using Kind = ReduceOp::Kind;

class Supported : public testing::Test {
 protected:
  static const std::vector<bench::SupportTable>& tables() {
    static const auto asked = bench::support_tables(MPI_COMM_WORLD);
    return asked;
  }
};

TEST_F(Supported, ThePageIsUpToDate) {
  std::ifstream file(SUPPORT_PAGE);
  ASSERT_TRUE(file.is_open()) << SUPPORT_PAGE;
  std::stringstream page;
  page << file.rdbuf();
  // It tells of one process: among several of a node the backend `node` takes the collectives.
  const std::string made = bench::to_markdown(bench::support_tables(MPI_COMM_SELF));
  EXPECT_TRUE(page.str() == made)
      << "tutti-info --support >docs/support.md makes it new; it is now:\n"
      << made;
}

TEST_F(Supported, EveryCellOfHostMemoryIsAsDefined) {
  decltype(bench::SupportTable::cells) cells;
  for (const auto& table : tables()) {
    if (table.memory != MemoryKind::host) continue;
    EXPECT_TRUE(table.backend == "mpi" || table.backend == "node") << table.backend;
    cells.insert(table.cells.begin(), table.cells.end());
  }
  for (const DataType type : all_data_types) {
    for (const OperationKind operation : bench::moving_operations())
      EXPECT_TRUE(cells.count({operation, Kind::sum, type})) << to_string(operation);
    for (const Kind kind : all_reduce_kinds)
      for (const OperationKind operation : bench::reducing_operations(kind))
        EXPECT_EQ(cells.count({operation, kind, type}) != 0, defined(kind, type))
            << to_string(operation) << " " << to_string(kind) << " of " << to_string(type);
  }
}

// No backend does what is not defined, whatever memory it serves.
TEST_F(Supported, NobodyServesWhatIsNotDefined) {
  for (const auto& table : tables())
    for (const Kind kind : all_reduce_kinds)
      for (const DataType type : all_data_types)
        if (!defined(kind, type)) {
          EXPECT_EQ(table.cells.count({OperationKind::all_reduce, kind, type}), 0U)
              << table.backend << ": " << to_string(kind) << " of " << to_string(type);
        }
}

TEST_F(Supported, ThePageTellsWhatIsMissing) {
  bench::SupportTable table{"some", MemoryKind::device, {}};
  table.cells.insert({OperationKind::all_reduce, Kind::max, DataType::int8});
  for (const OperationKind operation : bench::reducing_operations(Kind::avg))
    table.cells.insert({operation, Kind::avg, DataType::int8});
  const std::string page = bench::to_markdown({table});
  EXPECT_NE(page.find("## `some`, device memory"), std::string::npos) << page;
  EXPECT_NE(page.find("| int8 |  |  |  | yes (1) | yes |  |"), std::string::npos) << page;
  EXPECT_NE(page.find("(1) but not reduce, reduce_scatter, scan, exclusive_scan\n"),
            std::string::npos)
      << page;
}

}  // namespace
}  // namespace tutti::test
