#include "nccl/facts.hpp"

#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string_view>

#include "core/host.hpp"
#include "core/text.hpp"
#include "nccl/available.hpp"
#include "nccl/functions.hpp"
#include "nccl/version.hpp"

namespace tutti::nccl {

namespace {

template <std::size_t n>
void store(char (&place)[n], std::string_view words) noexcept {
  const std::size_t length = std::min(n - 1, words.size());
  std::memcpy(place, words.data(), length);
  place[length] = '\0';
}

std::uint64_t hash_of_variable(const char* name) noexcept {
  const char* const value = std::getenv(name);
  if (value == nullptr) return 0;
  std::uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a
  for (const char* at = value; *at != '\0'; ++at)
    hash = (hash ^ static_cast<unsigned char>(*at)) * 0x100000001b3U;
  return hash | 1U;
}

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts;
  std::istringstream in(list);
  for (std::string part; std::getline(in, part, ',');) {
    while (!part.empty() && part.front() == ' ') part.erase(0, 1);
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

std::string wrong_interface() {
  const char* const rule = std::getenv("NCCL_SOCKET_IFNAME");
  if (rule == nullptr) return {};
  const std::string names = interface_names();
  if (names_an_interface(rule, split(names))) return {};
  return text("NCCL_SOCKET_IFNAME is \"", rule,
              "\", which is none of the interfaces here: ", names);
}

std::string where(const Facts& facts) {
  return text(" (", facts.host, ")");
}

}  // namespace

bool names_an_interface(const std::string& rule, const std::vector<std::string>& interfaces) {
  std::string list = rule;
  const bool excludes = !list.empty() && list.front() == '^';
  if (excludes) list.erase(0, 1);
  const bool exact = !list.empty() && list.front() == '=';
  if (exact) list.erase(0, 1);
  const std::vector<std::string> given = split(list);
  if (given.empty()) return true;
  for (const std::string& interface : interfaces) {
    bool listed = false;
    for (const std::string& name : given) {
      const std::string bare = name.substr(0, name.find(':'));  // a port may follow
      listed = listed || (exact ? interface == bare : interface.compare(0, bare.size(), bare) == 0);
    }
    if (listed != excludes) return true;
  }
  return false;
}

DeviceChoice choose_device(int node_rank, int node_size) {
  const int devices = cuda::count_devices();
  if (devices == 0) return {Device(), cuda::why_no_device()};
  // Launchers and containers often leave each process the one device that is meant for it.
  if (devices == 1) return {Device(0), {}};
  if (node_rank < devices) return {Device(node_rank), {}};
  return {Device(), text("local rank ", node_rank, " of ", node_size, ": only ", devices,
                         " devices are visible on ", host_name())};
}

Facts facts_of_this_rank(const DeviceChoice& choice) {
  Facts facts;
  store(facts.host, host_name());
  for (std::size_t i = 0; i < facts.variables.size(); ++i)
    facts.variables[i] = hash_of_variable(compared_variables[i]);
  std::string why_not = why_unavailable();
  if (why_not.empty()) why_not = choice.why_none;
  if (why_not.empty()) why_not = wrong_interface();
  if (why_not.empty()) try {
      facts.version = loaded_version();
      facts.device = choice.device.ordinal();
      facts.uuid = cuda::uuid_of(facts.device);
      facts.capability = cuda::capability_of(facts.device);
      store(facts.bus_id, cuda::bus_id_of(facts.device));
    } catch (const std::exception& error) {
      why_not = error.what();
    }
  store(facts.why_not, why_not);
  return facts;
}

std::string why_not_together(const std::vector<Facts>& ranks) {
  for (std::size_t r = 0; r < ranks.size(); ++r)
    if (ranks[r].why_not[0] != '\0')
      return text("rank ", r, where(ranks[r]), ": ", ranks[r].why_not);
  for (std::size_t b = 1; b < ranks.size(); ++b) {
    if (ranks[b].version != ranks[0].version)
      return text("rank 0", where(ranks[0]), " has NCCL ", version_text(ranks[0].version),
                  ", rank ", b, where(ranks[b]), " has NCCL ", version_text(ranks[b].version),
                  "; they must be equal");
    for (std::size_t a = 0; a < b; ++a)
      if (ranks[a].uuid == ranks[b].uuid && std::strcmp(ranks[a].host, ranks[b].host) == 0)
        return text(
            "ranks ", a, " and ", b, " share device ", ranks[b].device, " (", ranks[b].bus_id,
            ") of ", ranks[b].host,
            "; NCCL needs one device for each rank: start fewer ranks, or use the host backend");
  }
  return {};
}

std::vector<std::string> differing_variables(const std::vector<Facts>& ranks) {
  std::vector<std::string> lines;
  for (std::size_t v = 0; v < std::size(compared_variables); ++v)
    for (std::size_t r = 1; r < ranks.size(); ++r) {
      if (ranks[r].variables[v] == ranks[0].variables[v]) continue;
      lines.push_back(text(compared_variables[v], " differs between ranks 0", where(ranks[0]),
                           " and ", r, where(ranks[r]), "; NCCL may hang or fail"));
      break;
    }
  return lines;
}

}  // namespace tutti::nccl
