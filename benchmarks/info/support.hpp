#pragma once

#include <tutti/communicator.hpp>

#include <set>
#include <string>
#include <vector>

namespace tutti::bench {

/// One question about support: an operation, its reduction (`sum` where nothing is reduced), a
/// type.
struct SupportCell {
  OperationKind operation;
  ReduceOp::Kind reduction;
  DataType type;
  auto operator<=>(const SupportCell&) const = default;
};

/// What one backend serves of one kind of memory.
struct SupportTable {
  std::string backend;
  MemoryKind memory = MemoryKind::host;
  std::set<SupportCell> cells;
};

/// Operations that a reduction is asked about: all that reduce, but a mean has no scans.
std::vector<OperationKind> reducing_operations(ReduceOp::Kind kind);
/// Operations that move elements as they are.
std::vector<OperationKind> moving_operations();

/// Asks the library about every cell, with every way for memory that `Options` can choose; nothing
/// moves. Collective over `comm`.
std::vector<SupportTable> support_tables(MPI_Comm comm);

/// docs/support.md.
std::string to_markdown(const std::vector<SupportTable>& tables);

}  // namespace tutti::bench
