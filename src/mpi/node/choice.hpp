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
  int line = 0;  ///< of the file; 0: of the library's own table
};

/// One rule a line, `all_reduce ranks<=2 bytes<=64K whole`, either limit may be missing; comments
/// begin with #. `name` stands in messages. @throws Error (invalid_argument) with the line's
/// number.
std::vector<Rule> parse_rules(std::string_view text, std::string_view name);

/// Bytes of the array that an operation is about, of all n blocks where it has one a rank: what
/// rules compare. `Rule::any` of uneven blocks, which one rank alone may know.
std::size_t array_bytes(const Operation& op, std::size_t ranks) noexcept;

/// The rules that apply to so many ranks, ready to be asked before every operation.
class Chooser {
 public:
  /// `rules` come before those of the library's own table, `file` is where they are from.
  /// Without `takes_mpi` the rules for plain MPI are passed over.
  Chooser(const std::vector<Rule>& rules, std::string file, std::size_t ranks, bool takes_mpi);

  Way of(const Operation& op) const noexcept { return rule_for(op).way; }
  /// "whole arrays (by default)", "shared memory (TUTTI_TUNE, line 3 of FILE)"
  std::string describe(const Operation& op) const;

 private:
  const Rule& rule_for(const Operation& op) const noexcept {
    const std::vector<Rule>& rules = rules_[static_cast<std::size_t>(op.kind)];
    std::size_t i = 0;
    if (rules.size() > 1)
      for (const std::size_t bytes = array_bytes(op, ranks_); rules[i].bytes < bytes;) ++i;
    return rules[i];
  }

  /// By kind; the last one of each fits every size.
  std::array<std::vector<Rule>, std::size(all_operation_kinds)> rules_;
  std::string file_;
  std::size_t ranks_;
};

}  // namespace tutti::mpi::node
