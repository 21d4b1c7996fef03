#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>

#include <fmt/format.h>

#include "core/text.hpp"
#include "trace/record.hpp"

namespace tutti::trace {
namespace {

namespace fs = std::filesystem;

std::optional<Record> try_to_read(const fs::path& file, Record (*read)(const fs::path&),
                                  std::vector<std::string>& problems) {
  if (!fs::exists(file)) return std::nullopt;
  try {
    return read(file);
  } catch (const std::exception& error) {
    problems.push_back(
        printable(fmt::format("{}: {}", file.filename().string(), error.what()), 500));
    return std::nullopt;
  }
}

// Without their endings.
std::set<fs::path> records_in(const fs::path& directory) {
  std::set<fs::path> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory)) {
    fs::path path = entry.path();
    const bool ours = path.filename().string().rfind("tutti-", 0) == 0;
    if (ours && (path.extension() == ".ring" || path.extension() == ".json"))
      found.insert(path.replace_extension());
  }
  return found;
}

fs::path with(fs::path stem, const char* ending) {
  return stem += ending;
}

// A directory that was used before holds older files: of each rank the newest counts.
void keep_last_job(Job& job) {
  const auto by_age = [](const Record& a, const Record& b) { return a.opened < b.opened; };
  const int size = std::max_element(job.records.begin(), job.records.end(), by_age)->world_size;
  std::map<int, Record> newest;
  for (Record& record : job.records) {
    const auto [place, first] = newest.try_emplace(record.world_rank, record);
    if (record.world_size == size &&
        (first || place->second.world_size != size || by_age(place->second, record)))
      place->second = record;
  }
  std::vector<Record> kept;
  for (auto& [rank, record] : newest)
    if (record.world_size == size) kept.push_back(std::move(record));
  if (kept.size() < job.records.size())
    job.problems.push_back(
        fmt::format("{} files of earlier jobs are left out", job.records.size() - kept.size()));
  job.records = std::move(kept);
}

}  // namespace

Job read_directory(const fs::path& directory) {
  Job job;
  for (const fs::path& stem : records_in(directory)) {
    auto record = try_to_read(with(stem, ".ring"), read_ring, job.problems);
    if (!record) record = try_to_read(with(stem, ".json"), read_json, job.problems);
    if (record) job.records.push_back(std::move(*record));
  }
  if (job.records.empty()) {
    std::string words = printable(directory.string()) + " holds no record that can be read";
    for (const std::string& problem : job.problems) words += "\n  " + problem;
    throw std::runtime_error(words);
  }
  keep_last_job(job);
  return job;
}

}  // namespace tutti::trace
