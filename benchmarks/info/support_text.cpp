#include <fmt/format.h>

#include <map>

#include "info/support.hpp"

namespace tutti::bench {
namespace {

using Kind = ReduceOp::Kind;

constexpr const char* introduction =
    R"(# What is served

Which reduction is defined on which type, and which backend serves it. Made by `tutti-info --support`,
which asks the library itself and tells the same of the machine that it runs on; a test compares.

`yes`: by every operation that reduces (all_reduce, reduce, reduce_scatter, scan, exclusive_scan; `avg` has
no scans). `move`: by every operation that moves elements as they are (broadcast, all_gather, gather,
scatter, all_to_all, send, recv, send_recv). An empty cell is an error that
names the reduction and the type, before anything moves.

This is one process alone. Among several ranks of a node the backend `node`, shared memory, serves all of
these but send, recv and send_recv.
)";

constexpr const char* arithmetic = R"(
## Arithmetic

The library's promise, the same for every MPI library, count, alignment and number of ranks:

- Integer sum and prod wrap modulo 2^bits. Integer avg is the exact mean, truncated toward zero, never of a
  wrapped sum.
- min and max compare unsigned as unsigned. Any NaN among the inputs gives NaN; -0 orders before +0.
- float16, bfloat16 and the 8-bit floats reduce in float and round once, to nearest, ties to even.
- Beyond its largest value float16 and bfloat16 become infinite; the 8-bit floats stay at it: 448 for
  float8_e4m3, 57344 for float8_e5m2.
- bool: sum and max are or, prod and min are and; any byte but 0 is true, results are 0 or 1.
- Logical reductions give 0 or 1 in the data's own type.
- Complex prod is (ac - bd) + (ad + bc)i, part by part.
- pre_multiplied multiplies each element before the sum. The scalar becomes one element of the data's type,
  which must hold its value: whole and in range for integers, real for real types; floats round it.
- user: the application's own function, in rank order, on host memory.
- Every rank gets the same bits. A NaN result is the quiet NaN; its sign and payload are not kept.
)";

std::string heading(Kind kind) {
  // Where a narrow column may break.
  const std::string_view words = to_string(kind);
  const std::size_t first = words.find('_') + 1;
  return first == 0 ? std::string(words)
                    : fmt::format("{} {}", words.substr(0, first), words.substr(first));
}

/// The text of a cell; operations that are missing where others are served become a note.
std::string cell(const SupportTable& table, Kind kind, DataType type,
                 const std::vector<OperationKind>& operations, std::map<std::string, int>& notes) {
  std::string missing;
  std::size_t served = 0;
  for (const OperationKind operation : operations) {
    if (table.cells.count({operation, kind, type}) != 0)
      ++served;
    else
      missing += fmt::format("{}{}", missing.empty() ? "" : ", ", to_string(operation));
  }
  if (served == 0) return "";
  if (missing.empty()) return "yes";
  const int number = notes.emplace(missing, static_cast<int>(notes.size()) + 1).first->second;
  return fmt::format("yes ({})", number);
}

std::string to_markdown(const SupportTable& table) {
  std::string text = fmt::format("\n## `{}`, {} memory\n\n| |", table.backend,
                                 table.memory == MemoryKind::device ? "device" : "host");
  std::string rule = "\n|---|";
  for (const Kind kind : all_reduce_kinds) {
    text += fmt::format(" {} |", heading(kind));
    rule += "---|";
  }
  text += fmt::format(" move |{}---|\n", rule);
  std::map<std::string, int> notes;
  for (const DataType type : all_data_types) {
    text += fmt::format("| {} |", to_string(type));
    for (const Kind kind : all_reduce_kinds)
      text += fmt::format(" {} |", cell(table, kind, type, reducing_operations(kind), notes));
    text += fmt::format(" {} |\n", cell(table, Kind::sum, type, moving_operations(), notes));
  }
  for (const auto& [missing, number] : notes)
    text += fmt::format("\n({}) but not {}\n", number, missing);
  return text;
}

}  // namespace

std::string to_markdown(const std::vector<SupportTable>& tables) {
  std::string text = introduction;
  for (const SupportTable& table : tables) text += to_markdown(table);
  return text + arithmetic;
}

}  // namespace tutti::bench
