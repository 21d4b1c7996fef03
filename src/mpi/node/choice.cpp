#include "mpi/node/choice.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>

#include "core/text.hpp"
#include "mpi/node/direct.hpp"
#include "tutti/error.hpp"

namespace tutti::mpi::node {

namespace {

using Kind = OperationKind;

constexpr std::size_t any = Rule::any;

constexpr std::size_t kib = 1024;

// Two ranks: tutti-bench --tune on 2 cores of a virtual machine (AMD EPYC, 32 MiB of last-level
// cache, Open MPI 4.1.4), several runs: slices took 0 to 15 % longer than whole arrays in
// all_reduce of 16 KiB to 16 MiB, and 6 % on a Xeon (2 MiB of second level); plain MPI was nowhere
// faster than shared memory.
//
// More ranks: whole arrays cost each rank n - 1 of them, slices two steps and two arrays. 3 to 16
// ranks on 16 cores (Intel Xeon, Open MPI 4.1.6) and 3 and 4 ranks on the 2 cores: of a scan, which
// has slices for every rank's own result, whole arrays took 0.5 to 0.9 of the time of slices at all
// sizes up to 5 ranks, of a reduce up to 4; among 16, slices win from 4 KiB on.
constexpr Rule own_rules[] = {
    {Kind::reduce, 2, any, Way::shared},  // whole, or directly; an exclusive_scan likewise
    {Kind::reduce, 4, any, Way::whole},
    {Kind::reduce, 5, 32 * kib, Way::whole},
    {Kind::reduce, 6, 16 * kib, Way::whole},
    {Kind::reduce, 8, 8 * kib, Way::whole},
    {Kind::reduce, 16, 2 * kib, Way::whole},
    {Kind::scan, 5, any, Way::whole},
    {Kind::scan, 6, 16 * kib, Way::whole},
    {Kind::scan, 8, 8 * kib, Way::whole},
    {Kind::scan, 16, 2 * kib, Way::whole},
    {Kind::exclusive_scan, 2, any, Way::shared},
    {Kind::exclusive_scan, 5, any, Way::whole},
    {Kind::exclusive_scan, 6, 16 * kib, Way::whole},
    {Kind::exclusive_scan, 8, 8 * kib, Way::whole},
    {Kind::exclusive_scan, 16, 2 * kib, Way::whole},
    // Of scans and reduce too, after their own.
    {Kind::all_reduce, 2, 96 * kib, Way::whole},
    {Kind::all_reduce, 2, 256 * kib, Way::shared},  // whole, or directly
    {Kind::all_reduce, 2, any, Way::whole},
    {Kind::all_reduce, 3, 8192, Way::whole},
    {Kind::all_reduce, 5, 4096, Way::whole},
    {Kind::all_reduce, 9, 2048, Way::whole},
    {Kind::all_reduce, 17, 512, Way::whole},
    {Kind::all_reduce, 33, 512, Way::whole},
    {Kind::all_reduce, 65, 256, Way::whole},
    {Kind::all_reduce, any, 32, Way::whole},
    {Kind::all_reduce, any, any, Way::sliced},
    {Kind::broadcast, any, any, Way::shared},
    {Kind::all_gather, any, any, Way::shared},
    {Kind::reduce_scatter, any, any, Way::shared},
    {Kind::gather, any, any, Way::shared},
    // A root that hands out long blocks is alone at work, where readers fetch theirs at once:
    // 4 to 32 ranks on 32 cores (Intel Xeon, Open MPI 4.1.6). On 5 to 8 of them slots took as long
    // as MPI at 256 KiB, and 1.1 to 1.25 times as long from 512 KiB on; 4 on the 2 cores took 0.6
    // to 1.7 times as long at 2 MiB, as the host moved them. What is shorter than `least_scattered`
    // is never read among more than 4: see node_call.cpp.
    {Kind::scatter, 3, any, Way::shared},
    {Kind::scatter, 4, 512 * kib, Way::shared},
    {Kind::scatter, 4, any, Way::direct_or_mpi, 0, true},
    {Kind::scatter, 8, 256 * kib - 1, Way::shared},
    {Kind::scatter, 8, Direct::least_scattered - 1, Way::mpi, 0, true},
    {Kind::scatter, 8, any, Way::direct_or_mpi, 0, true},
    {Kind::scatter, 8, any, Way::mpi},
    {Kind::scatter, any, 512 * kib, Way::shared},
    {Kind::scatter, any, Direct::least_scattered - 1, Way::mpi, 0, true},
    {Kind::scatter, any, any, Way::direct_or_mpi, 0, true},
    {Kind::scatter, any, any, Way::mpi},
    // Of long blocks the same machine had MPI ahead of slots, by a tenth, and reading ahead of
    // both: 4 to 32 ranks, 1 to 16 MiB. Uneven ones, which MPI is given as messages between all
    // pairs, were no slower through slots: 6 to 9 ranks on 16 cores.
    {Kind::all_to_all, 4, any, Way::shared},
    {Kind::all_to_all, any, 512 * kib, Way::shared},
    {Kind::all_to_all, any, any, Way::direct_or_mpi, 0, true},
    {Kind::all_to_all, any, any, Way::shared},
    {Kind::barrier, any, any, Way::shared},
};

/// The reductions that have two ways.
bool folds_arrays(Kind kind) noexcept {
  return kind == Kind::all_reduce || kind == Kind::reduce || kind == Kind::scan ||
         kind == Kind::exclusive_scan;
}

bool is_message(Kind kind) noexcept {
  return kind == Kind::send || kind == Kind::recv || kind == Kind::send_recv;
}

bool can_be_direct(Kind kind) noexcept {
  return kind == Kind::all_reduce || kind == Kind::reduce || kind == Kind::exclusive_scan ||
         kind == Kind::broadcast || kind == Kind::all_gather || kind == Kind::scatter ||
         kind == Kind::all_to_all;
}

constexpr Way all_ways[] = {Way::mpi, Way::whole, Way::sliced, Way::shared, Way::direct};

template <class Values, class Fits>
std::string listed(const Values& values, const Fits& fits) {
  std::string list;
  for (const auto value : values)
    if (fits(value)) list += (list.empty() ? "" : ", ") + std::string(to_string(value));
  return list;
}

std::vector<std::string_view> words_of(std::string_view line) {
  constexpr std::string_view blanks = " \t\r\v\f";
  line = line.substr(0, line.find('#'));
  std::vector<std::string_view> words;
  for (std::size_t begin = 0; (begin = line.find_first_not_of(blanks, begin)) != line.npos;) {
    const std::size_t end = std::min(line.find_first_of(blanks, begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    begin = end;
  }
  return words;
}

/// One line of the table.
class LineParser {
 public:
  LineParser(std::string_view line, std::string_view name, int number)
      : line_(line), name_(name), number_(number) {}

  Rule parse(const std::vector<std::string_view>& words) const {
    Rule rule{kind_of(words.front()), any, any, Way::mpi, number_};
    if (words.size() < 2) refuse("it has no way: " + ways_of(rule.kind));
    for (std::size_t i = 1; i + 1 < words.size(); ++i) read_limit(words[i], rule);
    rule.way = way_of(words.back(), rule.kind);
    return rule;
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(Errc::invalid_argument,
                text("TUTTI_TUNE, ", name_, ", line ", number_, ", \"", printable(line_, 80),
                     "\": ", why, "; a line is OPERATION [ranks<=N] [bytes<=N] WAY"));
  }

  Kind kind_of(std::string_view word) const {
    for (const Kind kind : all_operation_kinds)
      if (!is_message(kind) && to_string(kind) == word) return kind;
    refuse(text("\"", printable(word, 40), "\" is none of ",
                listed(all_operation_kinds, [](Kind kind) { return !is_message(kind); })));
  }

  Way way_of(std::string_view word, Kind kind) const {
    for (const Way way : all_ways)
      if (has_way(kind, way) && to_string(way) == word) return way;
    refuse(
        text("\"", printable(word, 40), "\" is no way of ", to_string(kind), ": ", ways_of(kind)));
  }

  static std::string ways_of(Kind kind) {
    return "one of " + listed(all_ways, [&](Way way) { return has_way(kind, way); });
  }

  void read_limit(std::string_view word, Rule& rule) const {
    constexpr std::string_view ranks = "ranks<=";
    constexpr std::string_view bytes = "bytes<=";
    if (word.substr(0, ranks.size()) == ranks && rule.ranks == any)
      rule.ranks = number_in(word, ranks.size(), false);
    else if (word.substr(0, bytes.size()) == bytes && rule.bytes == any)
      rule.bytes = number_in(word, bytes.size(), true);
    else
      refuse(text("\"", printable(word, 40), "\" is no limit, or the second one of its kind"));
  }

  /// With K, M or G behind it where it counts bytes.
  std::size_t number_in(std::string_view word, std::size_t begin, bool of_bytes) const {
    std::string_view digits = word.substr(begin);
    const std::size_t unit = digits.empty() ? any : std::string_view("KMG").find(digits.back());
    const bool has_unit = of_bytes && unit < 3;
    const std::size_t shift = has_unit ? 10 * (unit + 1) : 0;
    if (has_unit) digits.remove_suffix(1);
    std::size_t number = 0;
    const char* const last = digits.data() + digits.size();
    const auto [end, error] = std::from_chars(digits.data(), last, number);
    if (error != std::errc{} || end != last || number > (any >> shift) || (!of_bytes && number < 2))
      refuse(text("\"", printable(word, 40), "\" needs a whole number",
                  of_bytes ? ", K, M and G are powers of 1024" : " of 2 or more"));
    return number << shift;
  }

  std::string_view line_;
  std::string_view name_;
  int number_;
};

}  // namespace

std::string_view to_string(Way way) noexcept {
  switch (way) {
    case Way::mpi:
      return "mpi";
    case Way::whole:
      return "whole";
    case Way::sliced:
      return "sliced";
    case Way::shared:
      return "shared";
    case Way::direct:
      return "direct";
    case Way::direct_or_mpi:
      return "direct or mpi";
  }
  return "?";
}

bool has_way(OperationKind kind, Way way) noexcept {
  switch (way) {
    case Way::mpi:
      return true;
    case Way::whole:
    case Way::sliced:
      return folds_arrays(kind);
    case Way::shared:
      return (!folds_arrays(kind) || can_be_direct(kind)) && !is_message(kind);
    case Way::direct:
      return can_be_direct(kind);
    case Way::direct_or_mpi:
      return false;
  }
  return false;
}

std::vector<Rule> parse_rules(std::string_view text, std::string_view name) {
  std::vector<Rule> rules;
  int number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (const auto words = words_of(line); !words.empty())
      rules.push_back(LineParser(line, name, number).parse(words));
  }
  return rules;
}

bool hides_sizes(Kind kind) noexcept {
  return kind == Kind::gather || kind == Kind::scatter || kind == Kind::all_to_all;
}

std::size_t array_bytes(const Operation& op, std::size_t ranks) noexcept {
  if (op.uneven) {
    if (hides_sizes(op.kind)) return any;
    const Blocks& blocks = op.kind == Kind::all_gather ? op.receive_blocks : op.send_blocks;
    return size_of(op.send.type) *
           std::accumulate(blocks.counts(), blocks.counts() + blocks.size(), std::size_t{0});
  }
  const bool a_block_received = op.kind == Kind::reduce_scatter || op.kind == Kind::scatter;
  const bool a_block_sent = op.kind == Kind::all_gather || op.kind == Kind::gather;
  const bool receives = a_block_received || op.kind == Kind::broadcast;
  const MemoryView& counted = receives ? op.receive : op.send;
  return counted.count * size_of(counted.type) * (a_block_received || a_block_sent ? ranks : 1);
}

Chooser::Chooser(const std::vector<Rule>& rules, std::string file, std::size_t ranks,
                 bool takes_mpi)
    : file_(std::move(file)), ranks_(ranks) {
  for (const Kind kind : all_operation_kinds) {
    const auto i = static_cast<std::size_t>(kind);
    const auto fill = [&](std::vector<Rule>& ready, bool uneven) {
      const auto add = [&](const Rule& rule) {
        const bool reached = ready.empty() || ready.back().bytes < rule.bytes;
        const bool may_be_mpi = rule.way == Way::mpi || rule.way == Way::direct_or_mpi;
        const bool holds = !(uneven && rule.equal_only) && (takes_mpi || !may_be_mpi);
        if (ranks <= rule.ranks && reached && holds) ready.push_back(rule);
      };
      for (const Rule& rule : rules)
        if (rule.kind == kind) add(rule);
      for (const Rule& rule : own_rules)
        if (rule.kind == kind || (rule.kind == Kind::all_reduce && folds_arrays(kind))) add(rule);
      if (is_message(kind)) ready.push_back({kind, any, any, Way::mpi});
      ready.back().bytes = any;  // those behind it may have been passed over
    };
    fill(equal_[i], false);
    fill(uneven_[i], true);
    const auto& uneven = uneven_[i];
    depends_[i] = hides_sizes(kind) &&
                  std::any_of(uneven.begin(), uneven.end(),
                              [&](const Rule& r) { return r.way != uneven.front().way; });
  }
}

std::string Chooser::describe(const Operation& op) const {
  if (!asks(op)) return describe(rule_for(op));
  std::string words = "by the bytes of all blocks, told when all ranks have come:";
  std::size_t least = 0;
  for (const Rule& rule : uneven_[static_cast<std::size_t>(op.kind)]) {
    words += rule.bytes == any ? text(" above ", least, " ") : text(" up to ", rule.bytes, " ");
    words += describe(rule) + (rule.bytes == any ? "" : ",");
    least = rule.bytes;
  }
  return words;
}

std::string Chooser::describe(const Rule& rule) const {
  const char* const what = rule.way == Way::mpi      ? "the MPI library"
                           : rule.way == Way::whole  ? "shared memory, whole arrays"
                           : rule.way == Way::sliced ? "shared memory, a slice a rank"
                           : rule.way == Way::direct ? "read from the other processes"
                           : rule.way == Way::direct_or_mpi
                               ? "read from the other processes where that pays and can be done, "
                                 "otherwise the MPI library"
                               : "shared memory";
  if (rule.line == 0) return text(what, " (by default)");
  return text(what, " (TUTTI_TUNE, line ", rule.line, " of ", file_, ")");
}

}  // namespace tutti::mpi::node
