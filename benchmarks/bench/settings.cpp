#include "bench/settings.hpp"

#include <tutti/version.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>
#include <stdexcept>

#include "bench/names.hpp"
#include "bench/sizes.hpp"

namespace tutti::bench {
namespace {

Names<const Collective*> collective_names() {
  Names<const Collective*> names;
  for (const Collective* collective : all_collectives())
    names.emplace_back(collective->name, collective);
  names.emplace_back("all", nullptr);
  return names;
}

Names<DataType> type_names() {
  Names<DataType> names;
  for (DataType type : all_data_types) names.emplace_back(to_string(type), type);
  return names;
}

Names<ReduceOp::Kind> op_names() {
  Names<ReduceOp::Kind> names;
  for (ReduceOp::Kind kind : all_reduce_kinds)
    if (kind != ReduceOp::Kind::user) names.emplace_back(to_string(kind), kind);
  return names;
}

Names<Verb> verb_names() {
  Names<Verb> names;
  for (Verb verb : all_verbs) names.emplace_back(to_string(verb), verb);
  return names;
}

const Names<MemoryKind> memory_names{{"host", MemoryKind::host}, {"device", MemoryKind::device}};
const Names<Against> against_names{{"mpi", Against::mpi},
                                   {"nccl", Against::nccl},
                                   {"memcpy", Against::memcpy},
                                   {"none", Against::none}};
const Names<Format> format_names{
    {"table", Format::table}, {"csv", Format::csv}, {"json", Format::json}};

/// The command line as it was typed, before names are looked up.
struct Typed {
  std::vector<std::string> collectives{"all_reduce"};
  std::string memory = "host";
  bool buffer = false;
  std::vector<std::string> types{"float32"};
  std::vector<std::string> ops{"sum"};
  int root = 0;
  bool in_place = false;
  bool uneven = false;
  std::string min = "8";
  std::string max = "64M";
  std::uint64_t factor = 2;
  std::vector<std::string> sizes;
  std::string verb = "run";
  std::int64_t iterations = -1;
  std::int64_t warmup = -1;
  std::string against = "none";
  double fail_below = 0;
  bool check = true;
  std::string format;
  std::string output;
  std::string tune;
};

template <class T>
std::string choices(const Names<T>& names) {
  return fmt::format("{}", fmt::join(names_of(names), "|"));
}

/// A whole number that T holds, else why not: CLI11 by itself takes the largest T for one beyond
/// it.
template <class T>
std::string whole_number(const std::string& text) {
  T number{};
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc::result_out_of_range)
    return fmt::format("{} does not fit into {} bits", text, 8 * sizeof(T));
  return error == std::errc() && rest == end ? "" : fmt::format("'{}' is no whole number", text);
}

/// Lists come as several arguments, with commas, or both. Nothing between two commas is an element
/// too, and a wrong one.
std::vector<std::string> elements_of(const std::vector<std::string>& lists) {
  std::vector<std::string> elements;
  for (const std::string& list : lists)
    for (std::size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1) {
      end = list.find(',', begin);
      elements.push_back(list.substr(begin, end - begin));
    }
  return elements;
}

void add_work_options(CLI::App& app, Typed& typed) {
  app.add_option("collectives", typed.collectives,
                 "What to measure: " + choices(collective_names()) + " (default: all_reduce)");
  app.add_option("--memory", typed.memory, "Where the data lies: " + choices(memory_names));
  app.add_flag("--buffer", typed.buffer, "Host memory is that of a tutti::Buffer");
  app.add_option("--type", typed.types, "Element types: " + choices(type_names()));
  app.add_option("--op", typed.ops, "Reductions: " + choices(op_names()));
  app.add_option("--root", typed.root, "Root of rooted collectives (default: 0)");
  app.add_flag("--in-place", typed.in_place, "Send from the memory that is received into");
  app.add_flag("--uneven", typed.uneven, "Blocks that grow with the rank, where there are blocks");
  app.add_option("--verb", typed.verb, "How tutti is called: " + choices(verb_names()));
}

void add_measurement_options(CLI::App& app, Typed& typed) {
  app.add_option("--min", typed.min, "Smallest array in bytes (default: 8)");
  app.add_option("--max", typed.max, "Largest array in bytes (default: 64M)");
  app.add_option("--factor", typed.factor, "From one size to the next (default: 2)")
      ->check(whole_number<std::uint64_t>);
  app.add_option("--sizes", typed.sizes, "The sizes themselves, such as 8,1K,1M");
  app.add_option("--iterations", typed.iterations,
                 "Timed iterations (default: as many as a steady figure takes)")
      ->check(whole_number<std::int64_t>);
  app.add_option("--warmup", typed.warmup, "Calls before the first (default: likewise)")
      ->check(whole_number<std::int64_t>);
  app.add_option("--against", typed.against,
                 "Do the same by the raw library, or copy as many bytes, interleaved: " +
                     choices(against_names));
  app.add_option("--fail-below", typed.fail_below,
                 "Exit 1 if a row's raw time / tutti time is below this");
  app.add_flag("--check,!--no-check", typed.check, "Verify every row's data (default) or do not");
  app.add_option("--format", typed.format,
                 "Output: " + choices(format_names) + " (default: by FILE's ending, else table)");
  app.add_option("--tune", typed.tune,
                 "Find the fastest way of each collective inside a node, and write the table for "
                 "TUTTI_TUNE to this file");
  app.add_option("--output", typed.output, "Write to FILE instead of standard output");
}

/// @throws CLI::ValidationError
void require(bool holds, const std::string& otherwise) {
  if (!holds) throw CLI::ValidationError(otherwise);
}

std::vector<const Collective*> collectives_of(const Typed& typed) {
  const auto given = by_names(collective_names(), "collective", typed.collectives);
  if (std::find(given.begin(), given.end(), nullptr) == given.end()) return given;
  const auto all = all_collectives();
  return {all.begin(), all.end()};
}

/// Those that have several ways; all such if none is named.
std::vector<const Collective*> collectives_to_tune(const CLI::App& app, Typed typed) {
  if (app.count("collectives") == 0) typed.collectives = {"all"};
  std::vector<const Collective*> collectives = collectives_of(typed);
  std::erase_if(collectives, [](const Collective* c) { return !c->has_ways; });
  require(!collectives.empty(), "--tune: messages between two ranks have one way only");
  return collectives;
}

std::vector<std::uint64_t> sizes_of(const CLI::App& app, const Typed& typed) {
  const bool given = app.count("--min") + app.count("--max") + app.count("--factor") != 0;
  if (!typed.tune.empty() && typed.sizes.empty() && !given) return sweep(8, 32 << 20, 4);
  if (typed.sizes.empty()) return sweep(parse_size(typed.min), parse_size(typed.max), typed.factor);
  for (const char* option : {"--min", "--max", "--factor"})
    require(app.count(option) == 0, fmt::format("--sizes and {} exclude each other", option));
  std::vector<std::uint64_t> sizes;
  for (const std::string& text : elements_of(typed.sizes)) sizes.push_back(parse_size(text));
  return sizes;
}

Format format_of(const Typed& typed) {
  if (!typed.format.empty()) return by_name(format_names, "format", typed.format);
  const std::string& name = typed.output;
  if (name.ends_with(".json")) return Format::json;
  return name.ends_with(".csv") ? Format::csv : Format::table;
}

void check_limits(const CLI::App& app, const Typed& typed, int ranks) {
  require(app.count("--iterations") == 0 || typed.iterations >= 1,
          fmt::format("--iterations is {}; the least is 1", typed.iterations));
  require(app.count("--warmup") == 0 || typed.warmup >= 0,
          fmt::format("--warmup is {}; the least is 0", typed.warmup));
  require(typed.root >= 0 && typed.root < ranks,
          fmt::format("--root is {}; with {} ranks it is 0 to {}", typed.root, ranks, ranks - 1));
  require(
      app.count("--fail-below") == 0 || (typed.fail_below > 0 && std::isfinite(typed.fail_below)),
      fmt::format("--fail-below is {}; it is above 0 and finite", typed.fail_below));
}

void check_tuning(const CLI::App& app, int ranks) {
  if (app.count("--tune") == 0) return;
  require(ranks > 1, "--tune needs at least 2 ranks");
  for (const char* option : {"--memory", "--buffer", "--type", "--op", "--in-place", "--uneven",
                             "--verb", "--against", "--fail-below", "--format", "--output"})
    require(app.count(option) == 0, fmt::format("--tune and {} exclude each other", option));
}

void check_combination(const Settings& settings) {
  const bool device = settings.memory == MemoryKind::device;
  require(!settings.fail_below || settings.against != Against::none,
          "--fail-below compares with the raw library that --against names");
  require(device || settings.verb != Verb::enqueue, "--verb enqueue needs --memory device");
  require(device || settings.against != Against::nccl, "--against nccl needs --memory device");
  require(!device || settings.against != Against::memcpy, "--against memcpy needs --memory host");
  require(!device || !settings.buffer,
          "--buffer is about host memory; device memory is a tutti::Buffer's already");
}

Settings settings_of(const CLI::App& app, const Typed& typed, int ranks) {
  check_limits(app, typed, ranks);
  check_tuning(app, ranks);
  Settings settings;
  settings.tune = typed.tune;
  settings.collectives =
      typed.tune.empty() ? collectives_of(typed) : collectives_to_tune(app, typed);
  settings.memory = by_name(memory_names, "memory", typed.memory);
  settings.buffer = typed.buffer;
  settings.types = by_names(type_names(), "type", elements_of(typed.types));
  settings.ops = by_names(op_names(), "reduction", elements_of(typed.ops));
  settings.root = typed.root;
  settings.in_place = typed.in_place;
  settings.uneven = typed.uneven;
  settings.sizes = sizes_of(app, typed);
  settings.verb = by_name(verb_names(), "verb", typed.verb);
  settings.effort = {.warmup = typed.warmup, .iterations = typed.iterations};
  settings.against = by_name(against_names, "raw library", typed.against);
  if (app.count("--fail-below") != 0) settings.fail_below = typed.fail_below;
  settings.check = typed.check;
  settings.format = format_of(typed);
  settings.output = typed.output;
  check_combination(settings);
  return settings;
}

/// Any status but 1, which stands for a measurement that failed.
constexpr int usage_error = 2;

Parsed refuse(const std::string& why) {
  return {std::nullopt, usage_error,
          fmt::format("tutti-bench: {}\nUsage: [mpirun ...] tutti-bench [collectives] [options]; "
                      "--help lists them\n",
                      why)};
}

}  // namespace

Parsed parse(int argc, const char* const* argv, int ranks) {
  CLI::App app("Measures tutti's collectives, and the same by the raw library beneath.",
               "tutti-bench");
  app.set_version_flag("--version", fmt::format("tutti-bench {}", version()));
  Typed typed;
  add_work_options(app, typed);
  add_measurement_options(app, typed);
  try {
    app.parse(argc, const_cast<char**>(argv));  // NOLINT: older CLI11 takes what it does not change
    return {settings_of(app, typed, ranks), 0, {}};
  } catch (const CLI::Success& help) {  // --help, --version
    std::ostringstream text;
    app.exit(help, text, text);
    return {std::nullopt, 0, text.str()};
  } catch (const CLI::ParseError& error) {
    return refuse(error.what());
  } catch (const std::invalid_argument& error) {
    return refuse(error.what());
  }
}

}  // namespace tutti::bench
