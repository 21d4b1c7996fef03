#include "info/information.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace tutti::bench {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

std::string_view to_string(Check value) {
  switch (value) {
    case Check::none:
      return "none";
    case Check::local:
      return "local";
    case Check::global:
      return "global";
    case Check::results:
      return "results";
  }
  return "?";
}

std::string_view to_string(NcclPolicy value) {
  switch (value) {
    case NcclPolicy::automatic:
      return "automatic";
    case NcclPolicy::required:
      return "required";
    case NcclPolicy::never:
      return "never";
  }
  return "?";
}

std::string_view to_string(HostPath value) {
  switch (value) {
    case HostPath::automatic:
      return "automatic";
    case HostPath::mpi:
      return "mpi";
    case HostPath::node:
      return "node";
    case HostPath::nccl:
      return "nccl";
  }
  return "?";
}

Pairs options_in_effect(const Options& options) {
  return {{"TUTTI_TIMEOUT",
           options.timeout.count() == 0 ? "none" : fmt::format("{} ms", options.timeout.count())},
          {"TUTTI_CHECK", std::string(to_string(options.check))},
          {"TUTTI_NCCL", std::string(to_string(options.nccl))},
          {"TUTTI_NCCL_JOIN", options.join == NcclJoin::eager ? "eager" : "lazy"},
          {"TUTTI_FALLBACK", options.fallback == Fallback::allow ? "allow" : "forbid"},
          {"TUTTI_HOST_PATH", std::string(to_string(options.host_path))},
          {"TUTTI_DETERMINISTIC", options.deterministic ? "1" : "0"},
          {"TUTTI_MAX_COUNT", fmt::format("{}", options.max_count)}};
}

Pairs variables_set() {
  constexpr std::string_view prefix = "TUTTI_";
  Pairs result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const auto equals = text.find('=');
    if (text.substr(0, prefix.size()) == prefix && equals != std::string_view::npos)
      result.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  std::sort(result.begin(), result.end());
  return result;
}

/// Asks about a small sum in this kind of memory; nothing moves.
Service service_of(const Communicator& world, std::string memory, MemoryKind kind) {
  std::array<float, 256> data{};
  ReceiveView view(data);
  view.kind = kind;
  Service service{std::move(memory), "", "", ""};
  try {
    const Choice choice = world.choose(all_reduce(view));
    service.backend = choice.backend;
    service.algorithm = choice.algorithm;
    service.reason = choice.reason;
  } catch (const Error& error) {
    service.reason = error.cause();
  }
  return service;
}

}  // namespace

Information gather_information(int argc, const char* const* argv) {
  const Communicator world(MPI_COMM_WORLD);
  Information information;
  information.environment = job_environment(MPI_COMM_WORLD, argc, argv);
  information.services = {service_of(world, "host", MemoryKind::host),
                          service_of(world, "device", MemoryKind::device)};
  information.options = options_in_effect(world.options());
  information.variables = variables_set();
  return information;
}

}  // namespace tutti::bench
