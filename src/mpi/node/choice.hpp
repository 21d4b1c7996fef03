#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "tutti/operation.hpp"

/// Which way a collective on host memory goes between the ranks of a node: a table of rules, of
/// which the first that fits is taken. It speaks only of what all ranks know, so that they choose
/// alike.
namespace tutti::mpi::node {

enum class Way : std::uint8_t {
  mpi,     ///< the MPI library
  whole,   ///< of a reduction: everybody's array whole to whoever wants a result, in one step
  sliced,  ///< of a reduction: each rank folds a slice for all
  shared,  ///< of everything else: through the memory that the ranks share, or directly where that
           ///< was found to take less time
  direct,  ///< of movements: long blocks are read out of the other ranks' processes, if they can be
  direct_or_mpi,  ///< in the library's own table: `direct` where that was found to take less time,
                  ///< otherwise `mpi`
};

std::string_view to_string(Way way) noexcept;

/// Whether there is such a way for the operation. Messages between two ranks are always MPI's.
bool has_way(OperationKind kind, Way way) noexcept;

struct Rule {
  static constexpr std::size_t any = std::numeric_limits<std::size_t>::max();

  OperationKind kind;
  std::size_t ranks;  ///< of the communicator, at most
  std::size_t bytes;  ///< of the array as tutti-bench counts it (`array_bytes`), at most
  Way way;
  int line = 0;             ///< of the file; 0: of the library's own table
  bool equal_only = false;  ///< does not hold for uneven blocks
};

/// One rule a line, `all_reduce ranks<=2 bytes<=64K whole`, either limit may be missing; comments
/// begin with #. `name` stands in messages. @throws Error (invalid_argument) with the line's
/// number.
std::vector<Rule> parse_rules(std::string_view text, std::string_view name);

/// Whether not all ranks know the blocks where they are uneven: of a gather or scatter the root
/// alone does, of an all_to_all each rank its own.
bool hides_sizes(OperationKind kind) noexcept;

/// Bytes of the array that an operation is about, of all n blocks where it has one a rank: what
/// rules compare. `Rule::any` of uneven blocks of what hides their sizes: it is to be asked.
std::size_t array_bytes(const Operation& op, std::size_t ranks) noexcept;

/// The rules that apply to so many ranks, ready to be asked before every operation.
class Chooser {
 public:
  /// `rules` come before those of the library's own table, `file` is where they are from.
  /// Without `takes_mpi` the rules for plain MPI are passed over.
  Chooser(const std::vector<Rule>& rules, std::string file, std::size_t ranks, bool takes_mpi);

  /// Whether the way depends on bytes that are to be asked when all ranks have come.
  bool asks(const Operation& op) const noexcept {
    return op.uneven && depends_[static_cast<std::size_t>(op.kind)];
  }
  /// Of what does not have to be asked.
  Way of(const Operation& op) const noexcept { return rule_for(op).way; }
  /// Of what was asked.
  Way of_asked(OperationKind kind, std::size_t bytes) const noexcept {
    return rule_for(uneven_, kind, bytes).way;
  }
  /// "whole arrays (by default)", "shared memory (TUTTI_TUNE, line 3 of FILE)"
  std::string describe(const Operation& op) const;

 private:
  /// By kind; the last one of each fits every size.
  using Table = std::array<std::vector<Rule>, std::size(all_operation_kinds)>;

  const Table& table_for(const Operation& op) const noexcept {
    return op.uneven ? uneven_ : equal_;
  }
  const Rule& rule_for(const Operation& op) const noexcept {
    const Table& table = table_for(op);
    const bool one = table[static_cast<std::size_t>(op.kind)].size() == 1;
    return rule_for(table, op.kind, one ? Rule::any : array_bytes(op, ranks_));
  }
  static const Rule& rule_for(const Table& table, OperationKind kind, std::size_t bytes) noexcept {
    const std::vector<Rule>& rules = table[static_cast<std::size_t>(kind)];
    std::size_t i = 0;
    while (rules[i].bytes < bytes) ++i;
    return rules[i];
  }
  std::string describe(const Rule& rule) const;

  Table equal_;
  Table uneven_;
  /// Whether sizes that are hidden decide, by kind.
  std::array<bool, std::size(all_operation_kinds)> depends_{};
  std::string file_;
  std::size_t ranks_;
};

}  // namespace tutti::mpi::node
