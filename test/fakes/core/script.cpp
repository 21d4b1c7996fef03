#include "core/script.hpp"

#include <cstdlib>
#include <iterator>
#include <mutex>
#include <set>
#include <stdexcept>

namespace fake {
namespace {

struct Verb {
  const char* name;
  bool needs_target;
  std::set<std::string, std::less<>> keys;
};

const std::vector<Verb>& verbs() {
  static const auto* table = new std::vector<Verb>{
      {"fail", true, {"call", "rank", "times", "code", "text"}},
      {"hang", true, {"call", "rank", "times"}},
      {"stall", true, {"call", "rank", "times"}},
      {"corrupt", true, {"call", "rank", "times", "byte"}},
      {"null", true, {"call", "rank", "times"}},
      {"progress", true, {"call", "rank", "times", "polls", "code", "text"}},
      {"async", false, {"rank", "polls", "code", "text"}},
      {"missing", true, {}},
      {"version", true, {}},
      {"device", false, {"count", "uuid", "rank"}},
      {"devices", false, {"error", "rank"}},
      {"memory", false, {"free", "total", "rank"}},
      {"attribute", false, {"id", "value", "rank"}},
      {"peer", false, {"access", "rank"}},
      {"slow", false, {"us", "rank"}},
  };
  return *table;
}

bool is_number(const std::string& text) {
  if (text.empty()) return false;
  char* end = nullptr;
  std::strtoll(text.c_str(), &end, 10);
  return *end == '\0';
}

/** A colon pair for `uuid`, free text for `text`, `forever` for polls, else a number. */
bool is_value(const std::string& key, const std::string& value) {
  if (key == "text") return true;
  if (key == "polls" && value == "forever") return true;
  if (key != "uuid") return is_number(value);
  const auto colon = value.find(':');
  return colon != std::string::npos && is_number(value.substr(0, colon)) &&
         is_number(value.substr(colon + 1));
}

std::vector<std::string> words_of(std::string_view source) {
  std::vector<std::string> words;
  std::string word;
  bool quoted = false;
  for (const char c : source) {
    if (c == '\'') {
      quoted = !quoted;
    } else if (!quoted && (c == ' ' || c == '\t' || c == '\n')) {
      if (!word.empty()) words.push_back(std::move(word));
      word.clear();
    } else {
      word += c;
    }
  }
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

}  // namespace

int process_rank() {
  static const int rank = [] {
    for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"}) {
      if (const char* value = std::getenv(name)) return std::atoi(value);
    }
    return 0;
  }();
  return rank;
}

long long Statement::number(std::string_view key, long long otherwise) const {
  const auto found = values.find(key);
  if (found == values.end()) return otherwise;
  if (found->second == "forever") return -1;
  return std::strtoll(found->second.c_str(), nullptr, 10);
}

std::string Statement::text(std::string_view key) const {
  const auto found = values.find(key);
  return found == values.end() ? std::string() : found->second;
}

const Script& Script::get() {
  static const auto* script = [] {
    const char* source = std::getenv("TUTTI_FAKE_FAULTS");
    return new Script(source == nullptr ? "" : source);
  }();
  return *script;
}

Script::Script(std::string_view source) {
  bool quoted = false;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= source.size(); ++i) {
    if (i < source.size() && source[i] == '\'') quoted = !quoted;
    if (i < source.size() && (source[i] != ';' || quoted)) continue;
    parse(source.substr(begin, i - begin));
    begin = i + 1;
  }
  if (quoted) error_ = "TUTTI_FAKE_FAULTS: a quote is not closed";
}

void Script::parse(std::string_view source) {
  const auto words = words_of(source);
  if (words.empty()) return;
  auto statement = std::make_unique<Statement>();
  statement->verb = words.front();
  for (std::size_t i = 1; i < words.size(); ++i) {
    const auto equal = words[i].find('=');
    if (equal != std::string::npos) {
      statement->values[words[i].substr(0, equal)] = words[i].substr(equal + 1);
    } else if (statement->target.empty()) {
      statement->target = words[i];
    } else {
      error_ = "TUTTI_FAKE_FAULTS: unexpected '" + words[i] + "' in '" + std::string(source) + "'";
    }
  }
  check(*statement, source);
  statements_.push_back(std::move(statement));
}

void Script::check(const Statement& statement, std::string_view source) {
  const auto fail = [&](const std::string& why) {
    if (error_.empty()) {
      error_ = "TUTTI_FAKE_FAULTS: " + why + " in '" + std::string(source) + "'";
    }
  };
  const Verb* verb = nullptr;
  for (const Verb& candidate : verbs()) {
    if (statement.verb == candidate.name) verb = &candidate;
  }
  if (verb == nullptr) return fail("unknown statement '" + statement.verb + "'");
  if (verb->needs_target == statement.target.empty()) {
    return fail(verb->needs_target ? "a name is missing" : "unexpected '" + statement.target + "'");
  }
  if (statement.verb == "version" && !is_number(statement.target)) return fail("not a version");
  for (const auto& [key, value] : statement.values) {
    if (verb->keys.count(key) == 0) fail("unknown key '" + key + "'");
    if (!is_value(key, value)) fail("bad value '" + value + "' of '" + key + "'");
  }
}

const Statement* Script::find(std::string_view verb, std::string_view target, int rank) const {
  for (const auto& statement : statements_) {
    if (statement->verb != verb || statement->target != target) continue;
    if (statement->number("rank", rank) == rank) return statement.get();
  }
  return nullptr;
}

const Statement* Script::find_call(std::string_view verb, std::string_view target, int rank,
                                   int call) const {
  for (const auto& statement : statements_) {
    if (statement->verb != verb || statement->target != target) continue;
    if (statement->number("rank", rank) != rank) continue;
    if (statement->number("call", call) != call) continue;
    const long long times = statement->number("times", -1);
    if (times >= 0 && statement->used.fetch_add(1) >= times) continue;
    return statement.get();
  }
  return nullptr;
}

std::optional<long long> Script::setting(std::string_view verb, std::string_view key) const {
  for (const auto& statement : statements_) {
    if (statement->verb != verb || !statement->has(key)) continue;
    if (statement->number("rank", process_rank()) == process_rank()) {
      return statement->number(key, 0);
    }
  }
  return std::nullopt;
}

int count_call(const char* function, int rank) {
  static auto* mutex = new std::mutex;
  static auto* counts = new std::map<std::pair<std::string, int>, int>;
  const std::lock_guard lock(*mutex);
  return ++(*counts)[{function, rank}];
}

}  // namespace fake
