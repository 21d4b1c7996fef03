#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fake {

/** Rank of this process as its launcher tells it, 0 without a launcher. */
int process_rank();

/** One statement of the fault script: `verb target key=value ...`. */
struct Statement {
  std::string verb;
  std::string target;  // a function name, or empty
  std::map<std::string, std::string, std::less<>> values;
  mutable std::atomic<int> used{0};

  bool has(std::string_view key) const { return values.find(key) != values.end(); }
  long long number(std::string_view key, long long otherwise) const;
  std::string text(std::string_view key) const;
};

/**
 * The fault script of TUTTI_FAKE_FAULTS, read once per process.
 *
 * A script with an error makes every call fail, so that a misspelt fault cannot pass for a test
 * that found nothing wrong. Thread-safe after construction.
 */
class Script {
 public:
  static const Script& get();
  explicit Script(std::string_view source);

  const std::string& error() const { return error_; }

  /** First statement with that verb and target that names `rank` or no rank. */
  const Statement* find(std::string_view verb, std::string_view target, int rank) const;

  /** As find(), and also honours `call=N` (the N-th call) and `times=K`. */
  const Statement* find_call(std::string_view verb, std::string_view target, int rank,
                             int call) const;

  /** Value of `key` in any `verb` statement for this process. */
  std::optional<long long> setting(std::string_view verb, std::string_view key) const;

  const std::vector<std::unique_ptr<Statement>>& statements() const { return statements_; }

 private:
  void parse(std::string_view statement);
  void check(const Statement& statement, std::string_view source);

  std::vector<std::unique_ptr<Statement>> statements_;
  std::string error_;
};

/** Number of this call of `function` by `rank` in this process, from 1. */
int count_call(const char* function, int rank);

}  // namespace fake
