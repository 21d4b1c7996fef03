#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "trace/findings.hpp"
#include "trace/record.hpp"

namespace tutti::trace {

std::string to_text(const Job& job, const Findings& findings);
nlohmann::ordered_json to_json(const Job& job, const Findings& findings);

/// A timeline as chrome://tracing and Perfetto read it: a process for each rank, a thread for each
/// communicator. What did not end lasts until the last moment of the job.
nlohmann::ordered_json to_chrome(const Job& job);

int trace_main(int argc, char** argv);

}  // namespace tutti::trace
