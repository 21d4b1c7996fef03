#include "mpi/node/signature.hpp"

#include <numeric>

#include "core/text.hpp"

namespace tutti::mpi::node {

namespace {

bool reduces(OperationKind kind) noexcept {
  return kind == OperationKind::all_reduce || kind == OperationKind::reduce ||
         kind == OperationKind::reduce_scatter || kind == OperationKind::scan ||
         kind == OperationKind::exclusive_scan;
}

bool has_root(OperationKind kind) noexcept {
  return kind == OperationKind::reduce || kind == OperationKind::broadcast ||
         kind == OperationKind::gather || kind == OperationKind::scatter;
}

}  // namespace

std::uint64_t known_sum(const Operation& op) noexcept {
  const bool gathers = op.kind == OperationKind::all_gather;
  if (!gathers && op.kind != OperationKind::reduce_scatter) return 0;
  const Blocks& blocks = gathers ? op.receive_blocks : op.send_blocks;
  return std::accumulate(blocks.counts(), blocks.counts() + blocks.size(), std::uint64_t{0});
}

std::string describe(Signature signature) {
  const auto field = [&](int shift, std::uint64_t mask) { return signature >> shift & mask; };
  const auto kind = static_cast<OperationKind>(field(0, 0xf));
  if (kind == OperationKind::barrier) return std::string(to_string(kind));
  std::string words = text(to_string(kind), " of ");
  const std::string count = std::to_string(signature >> 29);
  const bool uneven = field(13, 1) != 0;
  const bool sums = kind == OperationKind::all_gather || kind == OperationKind::reduce_scatter;
  words += !uneven ? count : sums ? count + " in uneven blocks of" : "uneven blocks of";
  words += text(" ", to_string(static_cast<DataType>(field(4, 0x1f))));
  if (reduces(kind)) words += text(", ", to_string(static_cast<ReduceOp::Kind>(field(9, 0xf))));
  if (has_root(kind)) words += text(", root ", field(14, 0x7fff));
  return words;
}

}  // namespace tutti::mpi::node
