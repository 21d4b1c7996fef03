#include "diagnostics/cross_check.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "core/block_layout.hpp"
#include "core/text.hpp"
#include "mpi/call.hpp"

namespace tutti {

namespace {

enum Field : std::size_t { sequence_field, kind_field, type_field, op_field, count_field, root_field,
                           memory_field, uneven_field, refused_field, fields };

constexpr const char* field_names[fields] = {"sequence number", "operation", "type", "reduction",
                                             "count", "root", "memory", "uneven blocks", "refused"};

using Fingerprint = std::array<std::int64_t, fields>;

bool is_rooted(OperationKind kind) noexcept {
  return kind == OperationKind::reduce || kind == OperationKind::broadcast ||
         kind == OperationKind::gather || kind == OperationKind::scatter;
}

bool reduces(OperationKind kind) noexcept {
  return kind == OperationKind::all_reduce || kind == OperationKind::reduce ||
         kind == OperationKind::reduce_scatter || kind == OperationKind::scan ||
         kind == OperationKind::exclusive_scan;
}

// The count that all ranks share; -1 where blocks differ by design.
std::int64_t shared_count(const Operation& op) noexcept {
  switch (op.kind) {
    case OperationKind::all_reduce:
    case OperationKind::reduce:
    case OperationKind::scan:
    case OperationKind::exclusive_scan: return static_cast<std::int64_t>(op.send.count);
    case OperationKind::broadcast: return static_cast<std::int64_t>(op.receive.count);
    case OperationKind::all_gather:
    case OperationKind::gather:
    case OperationKind::all_to_all:
      return op.uneven ? -1 : static_cast<std::int64_t>(op.send.count);
    case OperationKind::reduce_scatter:
    case OperationKind::scatter:
      return op.uneven ? -1 : static_cast<std::int64_t>(op.receive.count);
    case OperationKind::send:
    case OperationKind::recv:
    case OperationKind::send_recv:
    case OperationKind::barrier: return 0;
  }
  __builtin_unreachable();
}

Fingerprint fingerprint_of(const Operation& op, std::uint64_t sequence, bool refused) noexcept {
  const MemoryView& data = op.send.given ? op.send : op.receive;
  return {static_cast<std::int64_t>(sequence),
          static_cast<std::int64_t>(op.kind),
          data.given ? static_cast<std::int64_t>(data.type) : -1,
          reduces(op.kind) ? static_cast<std::int64_t>(op.op.kind()) : -1,
          shared_count(op),
          is_rooted(op.kind) ? op.root : -1,
          static_cast<std::int64_t>(data.kind),
          op.uneven ? 1 : 0,
          refused ? 1 : 0};
}

std::string value_text(std::size_t field, std::int64_t value) {
  if (value < 0) return "none";
  if (field == kind_field) return std::string(to_string(static_cast<OperationKind>(value)));
  if (field == type_field) return std::string(to_string(static_cast<DataType>(value)));
  if (field == op_field) return std::string(to_string(static_cast<ReduceOp::Kind>(value)));
  if (field == memory_field) return value == static_cast<int>(MemoryKind::device) ? "device" : "host";
  if (field == uneven_field) return value != 0 ? "yes" : "no";
  return text(value);
}

// "0-2, 5"
std::string ranges_of(const std::vector<int>& ranks) {
  std::string words;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    if (!words.empty()) words += ", ";
    words += last == i ? text(ranks[i]) : text(ranks[i], '-', ranks[last]);
    i = last + 1;
  }
  return words;
}

std::vector<int> ranks_with(const std::vector<Fingerprint>& all, std::size_t field,
                            std::int64_t value) {
  std::vector<int> ranks;
  for (std::size_t r = 0; r < all.size(); ++r)
    if (all[r][field] == value) ranks.push_back(static_cast<int>(r));
  return ranks;
}

// One line for each field that differs: "count: 2 on rank 1; 1 on ranks 0, 2".
std::string differences(const std::vector<Fingerprint>& all) {
  std::string lines;
  for (std::size_t field = 0; field < fields; ++field) {
    std::vector<std::int64_t> seen;
    std::string line;
    for (const Fingerprint& fingerprint : all) {
      const std::int64_t value = fingerprint[field];
      if (std::find(seen.begin(), seen.end(), value) != seen.end()) continue;
      seen.push_back(value);
      const std::vector<int> ranks = ranks_with(all, field, value);
      line += text(line.empty() ? "" : "; ", value_text(field, value),
                   ranks.size() == 1 ? " on rank " : " on ranks ", ranges_of(ranks));
    }
    if (seen.size() > 1) lines += text("\n  ", field_names[field], ": ", line);
  }
  return lines;
}

}  // namespace

bool is_collective(OperationKind kind) noexcept {
  return kind != OperationKind::send && kind != OperationKind::recv &&
         kind != OperationKind::send_recv;
}

void cross_check(const mpi::Session& session, const Operation& operation, std::uint64_t sequence,
                 const std::optional<Error>& refusal, Deadline deadline) {
  const Fingerprint mine = fingerprint_of(operation, sequence, refusal.has_value());
  std::vector<Fingerprint> all(static_cast<std::size_t>(session.size()));
  MPI_Request request = MPI_REQUEST_NULL;
  TUTTI_MPI(MPI_Iallgather(mine.data(), fields, MPI_INT64_T, all.data(), fields, MPI_INT64_T,
                           session.comm(), &request));
  if (!mpi::Session::wait(request, deadline))
    throw Error(Errc::timeout, "not all ranks had come to this operation when the deadline passed");
  if (!ranks_with(all, refused_field, 1).empty()) session.agree(refusal);
  const std::string lines = differences(all);
  if (!lines.empty())
    throw Error(Errc::mismatch, "the ranks do not agree on what to do:" + lines,
                {describe(operation), session.rank(), session.size()});
}

}  // namespace tutti
