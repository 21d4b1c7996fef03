#include "common/machine.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/utsname.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <limits>
#include <sstream>

namespace tutti::bench {
namespace {

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

/// The text behind "key<space or tab>*: " in a file of such lines; empty if there is none.
std::string field(const char* file, std::string_view key) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (line.compare(0, key.size(), key) != 0) continue;
    const auto colon = line.find(':');
    const auto text = colon == std::string::npos ? colon : line.find_first_not_of(" \t", colon + 1);
    if (text != std::string::npos) return line.substr(text);
  }
  return {};
}

std::size_t number_in(const std::string& file) {
  std::ifstream in(file);
  std::size_t value = 0;
  return in >> value ? value : unlimited;  // "max", or no such file
}

/// What is left of a limit that the files of one cgroup tell.
std::size_t left(const std::string& limit_file, const std::string& usage_file) {
  const std::size_t limit = number_in(limit_file);
  const std::size_t usage = number_in(usage_file);
  if (limit == unlimited || usage == unlimited) return unlimited;
  return limit > usage ? limit - usage : 0;
}

/// The least that is left in this process' cgroup and those above it, of either version.
std::size_t cgroup_memory() {
  std::size_t least = unlimited;
  std::ifstream in("/proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {
    const bool second = line.compare(0, 3, "0::") == 0;
    const auto path_at = line.find(":/");
    if (path_at == std::string::npos) continue;
    if (!second && line.find(":memory:") == std::string::npos) continue;
    const std::string base = second ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
    for (std::string path = line.substr(path_at + 1);; path.resize(path.rfind('/'))) {
      const std::string at = base + path;
      least = std::min(least,
                       second ? left(at + "/memory.max", at + "/memory.current")
                              : left(at + "/memory.limit_in_bytes", at + "/memory.usage_in_bytes"));
      if (path.find('/') == std::string::npos) break;
    }
  }
  return least;
}

}  // namespace

std::string cpu_model() {
  for (const char* key : {"model name", "Model", "cpu model"})
    if (std::string name = field("/proc/cpuinfo", key); !name.empty()) return name;
  utsname system{};
  return uname(&system) == 0 ? system.machine : "unknown";
}

std::vector<unsigned char> allowed_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<unsigned char> cores(CPU_SETSIZE, 0);
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    for (std::size_t core = 0; core < cores.size(); ++core)
      cores[core] = CPU_ISSET(core, &set) ? 1 : 0;
  return cores;
}

std::size_t available_memory() {
  std::istringstream text(field("/proc/meminfo", "MemAvailable"));
  std::size_t kibibytes = 0;
  const std::size_t machine = text >> kibibytes ? kibibytes * 1024 : unlimited;
  return std::min(machine, cgroup_memory());
}

std::string utc_date() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

std::string compiler() {
#ifdef __clang__
  return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  return fmt::format("gcc {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

}  // namespace tutti::bench
