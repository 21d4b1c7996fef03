#include "diagnostics/cross_check.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/reducible.hpp"
#include "core/scalar.hpp"
#include "core/text.hpp"
#include "diagnostics/pair_check.hpp"
#include "mpi/call.hpp"

namespace tutti {

namespace {

enum Field : std::size_t {
  sequence_field,
  kind_field,
  verb_field,
  group_field,
  type_field,
  op_field,
  scalar_field,
  imaginary_field,
  count_field,
  root_field,
  memory_field,
  uneven_field,
  deadline_field,
  refused_field,
  fields
};

constexpr const char* field_names[fields] = {"sequence number",
                                             "operation",
                                             "verb",
                                             "operations in the group",
                                             "type",
                                             "reduction",
                                             "scalar",
                                             "imaginary part of the scalar",
                                             "count",
                                             "root",
                                             "memory",
                                             "uneven blocks",
                                             "deadline",
                                             "refused"};

// Of a split, which is no operation.
constexpr std::int64_t split_kind = -2;

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
    case OperationKind::exclusive_scan:
      return static_cast<std::int64_t>(op.send.count);
    case OperationKind::broadcast:
      return static_cast<std::int64_t>(op.receive.count);
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
    case OperationKind::barrier:
      return 0;
  }
  __builtin_unreachable();
}

bool is_integer(std::int64_t type) noexcept {
  return type != -1 && family_of(static_cast<DataType>(type)) == TypeFamily::integer;
}

// The scalar as it will be used: a 64-bit integer, or the bits of doubles.
void put_scalar(Fingerprint& print, const ReduceOp& op, const MemoryView& data) noexcept {
  if (op.kind() != ReduceOp::Kind::pre_multiplied || op.device_scalar() != nullptr || !data.given)
    return;
  DataType wide = data.type == DataType::uint64 ? DataType::uint64 : DataType::int64;
  if (!is_integer(static_cast<std::int64_t>(data.type))) wide = DataType::complex128;
  std::int64_t parts[2] = {-1, -1};
  if (!convert_scalar(op, wide, parts)) return;  // refused already
  print[scalar_field] = parts[0];
  print[imaginary_field] = family_of(data.type) == TypeFamily::complex ? parts[1] : -1;
}

Fingerprint fingerprint_of(const Operation& op, const Occasion& occasion, Deadline deadline,
                           bool refused) noexcept {
  const MemoryView& data = op.send.given ? op.send : op.receive;
  Fingerprint print{};
  print[sequence_field] = static_cast<std::int64_t>(occasion.sequence);
  print[kind_field] =
      occasion.verb == Verb::split ? split_kind : static_cast<std::int64_t>(op.kind);
  print[verb_field] = static_cast<std::int64_t>(occasion.verb);
  print[group_field] = static_cast<std::int64_t>(occasion.group);
  print[type_field] = data.given ? static_cast<std::int64_t>(data.type) : -1;
  print[op_field] = reduces(op.kind) ? static_cast<std::int64_t>(op.op.kind()) : -1;
  print[scalar_field] = print[imaginary_field] = -1;
  if (reduces(op.kind)) put_scalar(print, op.op, data);
  print[count_field] = shared_count(op);
  print[root_field] = is_rooted(op.kind) ? op.root : -1;
  print[memory_field] = static_cast<std::int64_t>(data.kind);
  print[uneven_field] = op.uneven ? 1 : 0;
  print[deadline_field] = deadline.set() ? 1 : 0;
  print[refused_field] = refused ? 1 : 0;
  return print;
}

std::string value_text(std::size_t field, const Fingerprint& print) {
  const std::int64_t value = print[field];
  if (field == scalar_field && is_integer(print[type_field]))
    return print[type_field] == static_cast<int>(DataType::uint64)
               ? text(static_cast<std::uint64_t>(value))
               : text(value);
  if (value == -1) return "none";
  if (field == kind_field && value == split_kind) return "split";
  if (field == kind_field) return std::string(to_string(static_cast<OperationKind>(value)));
  if (field == type_field) return std::string(to_string(static_cast<DataType>(value)));
  if (field == op_field) return std::string(to_string(static_cast<ReduceOp::Kind>(value)));
  if (field == memory_field)
    return value == static_cast<int>(MemoryKind::device) ? "device" : "host";
  if (field == verb_field) return std::string(to_string(static_cast<Verb>(value)));
  if (field == scalar_field || field == imaginary_field)
    return text(__builtin_bit_cast(double, value));
  if (field == uneven_field || field == deadline_field) return value != 0 ? "yes" : "no";
  return text(value);
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
      line += text(line.empty() ? "" : "; ", value_text(field, fingerprint),
                   ranks.size() == 1 ? " on rank " : " on ranks ", ranges_of(ranks));
    }
    if (seen.size() > 1) lines += text("\n  ", field_names[field], ": ", line);
  }
  return lines;
}

constexpr const char* too_late =
    "not all ranks had come to this operation when the deadline passed";

std::vector<Fingerprint> exchange_by_mpi(mpi::Session& session, const Fingerprint& mine,
                                         Deadline deadline) {
  struct Memory {
    Fingerprint mine;
    std::vector<Fingerprint> all;
  };
  const auto memory = std::make_shared<Memory>(
      Memory{mine, std::vector<Fingerprint>(static_cast<std::size_t>(session.size()))});
  MPI_Request request = MPI_REQUEST_NULL;
  TUTTI_MPI(MPI_Iallgather(memory->mine.data(), fields, MPI_INT64_T, memory->all.data(), fields,
                           MPI_INT64_T, session.comm(), &request));
  session.finish(request, memory, deadline, too_late);
  return std::move(memory->all);
}

// A fifth of the time that MPI takes, and nothing in MPI's hands when a deadline passes.
std::vector<Fingerprint> exchange_on_board(mpi::Session& session, const Fingerprint& mine,
                                           Deadline deadline) {
  mpi::StatusBoard& board = session.board();
  mpi::StatusBoard::Words words{};
  static_assert(fields <= std::tuple_size_v<mpi::StatusBoard::Words>);
  std::copy(mine.begin(), mine.end(), words.begin());
  const std::uint64_t turn = board.put(words);
  session.await_words(turn, deadline, too_late);
  std::vector<Fingerprint> all(static_cast<std::size_t>(session.size()));
  for (std::size_t rank = 0; rank < all.size(); ++rank)
    std::copy_n(board.words_of(rank, turn).begin(), all[rank].size(), all[rank].begin());
  return all;
}

}  // namespace

void cross_check(mpi::Session& session, const Operation& operation, const Occasion& occasion,
                 const std::optional<Error>& refusal, Deadline deadline) {
  const Fingerprint mine = fingerprint_of(operation, occasion, deadline, refusal.has_value());
  const std::vector<Fingerprint> all = session.board().shows(session.size())
                                           ? exchange_on_board(session, mine, deadline)
                                           : exchange_by_mpi(session, mine, deadline);
  const bool equal =
      std::all_of(all.begin(), all.end(), [&](const Fingerprint& print) { return print == mine; });
  if (equal && !refusal) {
    if (operation.uneven) check_pairs(session, operation, deadline);
    return;
  }
  if (!ranks_with(all, refused_field, 1).empty()) session.agree(refusal, deadline);
  throw Error(Errc::mismatch, "the ranks do not agree on what to do:" + differences(all),
              {describe(operation), session.rank(), session.size()});
}

}  // namespace tutti
