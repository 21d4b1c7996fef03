#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <tutti/version.hpp>

#include <fstream>
#include <iostream>

#include "trace/output.hpp"

namespace tutti::trace {
namespace {

std::string dumped(const nlohmann::ordered_json& json, int indent) {
  return json.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

void write_file(const std::string& path, const std::string& words) {
  std::ofstream file(path);
  file << words << std::flush;
  if (!file) throw std::runtime_error(path + " cannot be written");
}

}  // namespace

int trace_main(int argc, char** argv) {
  CLI::App app(
      "Tells from the records of a job's ranks (TUTTI_RECORD) where they were and who waits "
      "for whom.",
      "tutti-trace");
  app.set_version_flag("--version", fmt::format("tutti-trace {}", version()));
  std::string directory, chrome;
  bool json = false;
  app.add_option("directory", directory, "Where the records are")->required();
  app.add_flag("--json", json, "One JSON object instead of text");
  app.add_option("--chrome", chrome, "Also write a timeline for chrome://tracing or Perfetto")
      ->type_name("FILE");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  try {
    const Job job = read_directory(directory);
    const Findings findings = find(job);
    if (!chrome.empty()) write_file(chrome, dumped(to_chrome(job), -1));
    std::cout << (json ? dumped(to_json(job, findings), 2) : to_text(job, findings)) << std::flush;
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "tutti-trace: " << error.what() << std::endl;
    return 1;
  }
}

}  // namespace tutti::trace
