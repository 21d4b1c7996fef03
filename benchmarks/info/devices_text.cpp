#include <fmt/format.h>

#include "info/information.hpp"

namespace tutti::bench {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& value, const char* otherwise) {
  return value.is_null() ? otherwise : value.get<std::string>();
}

std::string line(const std::string& key, const std::string& value) {
  return fmt::format("  {:<22}{}\n", key, value);
}

std::string library_text(const Json& library) {
  const std::string problem = text_of(library["problem"], "");
  if (library["path"].is_null()) return problem;
  return fmt::format("{}, built for {}, {}{}{}", text_of(library["version"], "unknown version"),
                     text_of(library["built_for"], "none"), text_of(library["path"], ""),
                     problem.empty() ? "" : "; ", problem);
}

std::string libraries_text(const Json& rank) {
  const Json& libraries = rank["libraries"];
  const Json& driver = libraries["cuda_driver"];
  const Json& why_not = rank["why_no_nccl"];
  return line("CUDA driver",
              driver.is_null() ? "none" : "supports CUDA " + driver.get<std::string>()) +
         line("CUDA runtime", library_text(libraries["cuda_runtime"])) +
         line("NCCL", library_text(libraries["nccl"])) +
         line("NCCL can serve", why_not.is_null() ? "yes" : "no: " + why_not.get<std::string>());
}

std::string device_text(const Json& device) {
  if (device.contains("problem")) return device["problem"].get<std::string>();
  constexpr double gibibyte = 1024.0 * 1024.0 * 1024.0;
  return fmt::format("{}, {}, {:.1f} GiB, compute capability {}, {}",
                     device["name"].get<std::string>(), device["uuid"].get<std::string>(),
                     static_cast<double>(device["memory_bytes"].get<std::size_t>()) / gibibyte,
                     device["compute_capability"].get<std::string>(),
                     device["bus_id"].get<std::string>());
}

std::string rank_text(const Json& rank) {
  const std::string who =
      fmt::format("rank {} ({})", rank["rank"].get<int>(), rank["host"].get<std::string>());
  const Json& visible = rank["visible_devices"];
  if (visible.empty()) return line(who, "none");
  const Json& own = rank["device"];
  if (own.is_null()) return line(who, fmt::format("none of the {} visible", visible.size()));
  return line(who, fmt::format("{} of {}: {}", own.get<std::size_t>(), visible.size(),
                               device_text(visible.at(own.get<std::size_t>()))));
}

}  // namespace

// What most ranks share is said once, for rank 0, and again where another rank differs.
std::string devices_text(const std::vector<Json>& ranks) {
  std::string text = "\nDevice libraries\n" + libraries_text(ranks.front());
  for (const Json& rank : ranks)
    if (libraries_text(rank) != libraries_text(ranks.front()))
      text += fmt::format("Device libraries of rank {}\n", rank["rank"].get<int>()) +
              libraries_text(rank);
  text += "\nDevices\n";
  for (const Json& rank : ranks) text += rank_text(rank);
  return text;
}

}  // namespace tutti::bench
