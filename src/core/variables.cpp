#include "core/variables.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include "core/kernels.hpp"
#include "core/text.hpp"
#include "tutti/error.hpp"

namespace tutti {

namespace {

constexpr const char* stall_form = "a time such as 2s or 5m; 0 for never";
constexpr const char* timeout_form = "a time such as 500ms, 30s or 5m; 0 for none";

[[noreturn]] void refuse(const char* name, std::string_view value, std::string_view rule) {
  throw Error(Errc::invalid_argument, text("the environment variable ", name, " is \"",
                                           printable(value, 80), "\"; it takes ", rule));
}

template <class T>
struct NamedValue {
  std::string_view word;
  T value;
};

template <class T, std::size_t n>
std::string listed(const NamedValue<T> (&choices)[n]) {
  std::string list;
  for (const auto& [word, value] : choices) list += (list.empty() ? "" : ", ") + std::string(word);
  return list;
}

// The setters leave `target` alone when the variable is not set.
template <class T, std::size_t n>
void choose(const char* name, const NamedValue<T> (&choices)[n], T& target) {
  const char* const value = std::getenv(name);
  if (value == nullptr) return;
  for (const auto& [word, chosen] : choices) {
    if (word == value) {
      target = chosen;
      return;
    }
  }
  refuse(name, value, "one of " + listed(choices));
}

template <class T>
bool parse_whole(std::string_view value, T& number) noexcept {
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  return error == std::errc{} && end == value.data() + value.size();
}

bool parse_time(std::string_view value, std::chrono::milliseconds& time) noexcept {
  constexpr std::pair<std::string_view, long long> units[] = {{"ms", 1}, {"s", 1000}, {"m", 60000}};
  long long scale = 1000;
  for (const auto& [unit, milliseconds] : units) {
    if (value.size() > unit.size() && value.substr(value.size() - unit.size()) == unit) {
      value.remove_suffix(unit.size());
      scale = milliseconds;
      break;
    }
  }
  long long number = 0;
  constexpr long long a_year = 366LL * 24 * 3600 * 1000;
  if (!parse_whole(value, number) || number < 0 || number > a_year / scale) return false;
  time = std::chrono::milliseconds(number * scale);
  return true;
}

// Constant, because a static object of the application may get here before and after all others.
constexpr NamedValue<bool> switches[] = {{"0", false},     {"1", true},   {"off", false},
                                         {"on", true},     {"no", false}, {"yes", true},
                                         {"false", false}, {"true", true}};
constexpr NamedValue<LogLevel> levels[] = {{"off", LogLevel::off},     {"error", LogLevel::error},
                                           {"warn", LogLevel::warn},   {"info", LogLevel::info},
                                           {"debug", LogLevel::debug}, {"trace", LogLevel::trace}};
constexpr NamedValue<Isa> isas[] = {{to_string(Isa::portable), Isa::portable},
                                    {to_string(Isa::avx2), Isa::avx2},
                                    {to_string(Isa::avx512), Isa::avx512}};

}  // namespace

const std::vector<Variable>& known_variables() {
  static const std::vector<Variable> variables = {
      {"TUTTI_TIMEOUT", timeout_form, "deadline of construction, operations and teardown"},
      {"TUTTI_CHECK", "none, local, global, results",
       "what is checked, before and after anything moves"},
      {"TUTTI_NCCL", "automatic, required, never", "whether NCCL serves device memory"},
      {"TUTTI_NCCL_JOIN", "lazy, eager", "when NCCL communicators are made"},
      {"TUTTI_FALLBACK", "allow, forbid", "whether device memory may be staged through the host"},
      {"TUTTI_HOST_PATH", "automatic, mpi, node, nccl", "how host memory travels"},
      {"TUTTI_DETERMINISTIC", "0, 1", "host results depend on values and rank order alone"},
      {"TUTTI_MAX_COUNT", "1 to 2147483647", "largest count handed to one MPI call"},
      {"TUTTI_NODE_SIZE", "0 to 2147483647",
       "so many ranks count as a node, for tests; 0: as it is"},
      {"TUTTI_NCCL_LIBRARY", "a path", "the NCCL library to open, instead of looking for one"},
      {"TUTTI_CUDART_LIBRARY", "a path", "the CUDA runtime to open, instead of looking for one"},
      {"TUTTI_TUNE", "a file",
       "which way collectives on host memory go; tutti-bench --tune writes it"},
      {"TUTTI_ISA", "portable, avx2, avx512", "instructions that reductions on host memory use"},
      {"TUTTI_RECORD", "a directory", "where each rank keeps a record of its last operations"},
      {"TUTTI_STALL", stall_form, "how long a wait lasts until the log tells of it"},
      {"TUTTI_LOG", "off, error, warn, info, debug, trace", "what is written to standard error"},
  };
  return variables;
}

std::optional<Isa> isa_from_environment() {
  Isa isa = Isa::portable;
  if (std::getenv("TUTTI_ISA") == nullptr) return std::nullopt;
  choose("TUTTI_ISA", isas, isa);
  if (kernel_table(isa) != nullptr) return isa;
  std::string there;
  for (const Isa other : all_isas)
    if (kernel_table(other) != nullptr)
      there += (there.empty() ? "" : ", ") + std::string(to_string(other));
  refuse("TUTTI_ISA", to_string(isa), "what this processor has: " + there);
}

Options with_environment(Options options) {
  static_cast<void>(isa_from_environment());
  LogLevel level = LogLevel::warn;
  choose("TUTTI_LOG", levels, level);
  if (const char* const value = std::getenv("TUTTI_TIMEOUT"))
    if (!parse_time(value, options.timeout)) refuse("TUTTI_TIMEOUT", value, timeout_form);
  static_cast<void>(stall_time_from_environment());
  choose<Check>("TUTTI_CHECK",
                {{"none", Check::none},
                 {"local", Check::local},
                 {"global", Check::global},
                 {"results", Check::results}},
                options.check);
  choose<NcclPolicy>("TUTTI_NCCL",
                     {{"automatic", NcclPolicy::automatic},
                      {"required", NcclPolicy::required},
                      {"never", NcclPolicy::never}},
                     options.nccl);
  choose<NcclJoin>("TUTTI_NCCL_JOIN", {{"lazy", NcclJoin::lazy}, {"eager", NcclJoin::eager}},
                   options.join);
  choose<Fallback>("TUTTI_FALLBACK", {{"allow", Fallback::allow}, {"forbid", Fallback::forbid}},
                   options.fallback);
  choose<HostPath>("TUTTI_HOST_PATH",
                   {{"automatic", HostPath::automatic},
                    {"mpi", HostPath::mpi},
                    {"node", HostPath::node},
                    {"nccl", HostPath::nccl}},
                   options.host_path);
  choose("TUTTI_DETERMINISTIC", switches, options.deterministic);
  if (const char* const value = std::getenv("TUTTI_MAX_COUNT"))
    if (!parse_whole(value, options.max_count) || options.max_count == 0 ||
        options.max_count > INT_MAX)
      refuse("TUTTI_MAX_COUNT", value, "1 to 2147483647");
  if (const char* const value = std::getenv("TUTTI_NODE_SIZE"))
    if (!parse_whole(value, options.node_size) || options.node_size > INT_MAX)
      refuse("TUTTI_NODE_SIZE", value, "0 to 2147483647");
  return options;
}

LogLevel log_level_from_environment() noexcept try {
  LogLevel level = LogLevel::warn;
  choose("TUTTI_LOG", levels, level);
  return level;
} catch (...) {
  return LogLevel::warn;
}

std::chrono::milliseconds stall_time_from_environment() {
  std::chrono::milliseconds time = std::chrono::seconds(60);
  if (const char* const value = std::getenv("TUTTI_STALL"))
    if (!parse_time(value, time)) refuse("TUTTI_STALL", value, stall_form);
  return time;
}

const char* file_variable(const char* name) noexcept {
  return secure_getenv(name);
}

std::vector<std::string> unknown_variables() {
  std::vector<std::string> unknown;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    if (std::strncmp(*entry, "TUTTI_", 6) != 0) continue;
    const std::string_view whole(*entry);
    if (whole.substr(0, 11) == "TUTTI_FAKE_")
      continue;  // the test kit's, not the library's to judge
    const std::string name(whole.substr(0, whole.find('=')));
    const auto& known = known_variables();
    if (std::none_of(known.begin(), known.end(), [&](const Variable& v) { return name == v.name; }))
      unknown.push_back(name);
  }
  return unknown;
}

}  // namespace tutti
