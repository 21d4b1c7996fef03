#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/collective.hpp"
#include "bench/timer.hpp"

namespace tutti::bench {

enum class Against { none, mpi, nccl, memcpy };
enum class Format { table, csv, json };

/// What the command line asks for.
struct Settings {
  std::vector<const Collective*> collectives;
  MemoryKind memory = MemoryKind::host;
  bool buffer = false;  ///< host memory is a tutti::Buffer's
  std::vector<DataType> types;
  std::vector<ReduceOp::Kind> ops;
  int root = 0;
  bool in_place = false;
  bool uneven = false;
  std::vector<std::uint64_t> sizes;
  Verb verb = Verb::run;
  Effort effort;
  Against against = Against::none;
  std::optional<double> fail_below;
  bool check = true;
  Format format = Format::table;
  std::string tune;    ///< a table's name; not empty: measure ways instead of rows
  std::string output;  ///< a file's name; empty: standard output
};

/// Settings, or what to print instead and the status to exit with.
struct Parsed {
  std::optional<Settings> settings;
  int status = 0;
  std::string text;
};

/// Reads the command line of a job of `ranks` ranks. The same result on every rank; prints nothing.
Parsed parse(int argc, const char* const* argv, int ranks);

}  // namespace tutti::bench
