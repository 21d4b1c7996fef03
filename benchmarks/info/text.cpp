#include <fmt/format.h>
#include <fmt/ranges.h>

#include "info/information.hpp"

namespace tutti::bench {
namespace {

void line(std::string& text, std::string_view key, std::string_view value) {
  text += fmt::format("  {:<22}{}\n", key, value);
}

void section(std::string& text, std::string_view title) {
  text += fmt::format("{}{}\n", text.empty() ? "" : "\n", title);
}

template <class Pairs>
void pairs(std::string& text, std::string_view title, const Pairs& entries) {
  section(text, title);
  if (entries.empty()) text += "  none\n";
  for (const auto& [key, value] : entries) line(text, key, value);
}

void versions(std::string& text, const JobEnvironment& e) {
  section(text, "Versions");
  line(text, "tutti", e.tutti_version);
  line(text, "compiler", e.compiler);
  line(text, "MPI, built with", e.mpi_built_with);
  line(text, "MPI, loaded", e.mpi_library);
  line(text, "MPI standard", e.mpi_standard);
  line(text, "MPI thread level", e.thread_level);
}

void nodes(std::string& text, const JobEnvironment& e) {
  section(text, fmt::format("Nodes: {}, ranks: {}", e.hosts.size(), e.ranks));
  for (std::size_t node = 0; node < e.hosts.size(); ++node)
    line(text, e.hosts[node],
         fmt::format("{} ranks on {} cores{}", e.ranks_per_node[node], e.cores_per_node[node],
                     e.ranks_per_node[node] > e.cores_per_node[node] ? ", oversubscribed" : ""));
  line(text, "processor of rank 0", e.cpu_model);
}

}  // namespace

std::string to_text(const Information& information) {
  std::string text;
  versions(text, information.environment);
  nodes(text, information.environment);
  text += devices_text(information.devices);
  section(text, "Who serves");
  for (const Service& service : information.services) {
    std::string who = service.backend.empty() ? "nobody" : service.backend;
    if (!service.algorithm.empty()) who += ": " + service.algorithm;
    if (!service.reason.empty()) who += fmt::format(" ({})", service.reason);
    line(text, service.memory + " memory", who);
  }
  pairs(text, "Options in effect", information.options);
  pairs(text, "TUTTI_ variables set", information.variables);
  return text;
}

}  // namespace tutti::bench
