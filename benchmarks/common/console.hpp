#pragma once

#include <functional>
#include <string>

namespace tutti::bench {

/// What a tool says beside its result: on standard error, on rank 0 alone.
class Console {
 public:
  Console(std::string tool, bool speaks);
  bool speaks() const noexcept { return speaks_; }
  /// A line: what is skipped, what failed.
  void note(const std::string& text) const;
  /// What is being done now, overwritten by the next; only where somebody watches a terminal.
  void progress(const std::string& text) const;

 private:
  std::string tool_;
  bool speaks_;
  bool watched_;
};

/// Runs `main`, a program between MPI_Init and MPI_Finalize that returns its exit status. A failure
/// that all ranks share ends quietly, told on rank 0; one of a single rank ends the job.
int run_tool(const char* tool, int argc, char** argv, const std::function<int()>& main);

}  // namespace tutti::bench
