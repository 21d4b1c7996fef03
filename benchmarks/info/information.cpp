#include "info/information.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <tutti/buffer.hpp>
#include <tutti/nccl.hpp>

#include <algorithm>
#include <array>
#include <string_view>

#include "common/mpi_support.hpp"
#include "info/devices.hpp"

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

/// Asks about a small sum in this memory; nothing moves.
template <class Ask>
Service service_of(std::string memory, Ask&& ask) {
  Service service{std::move(memory), "", "", ""};
  try {
    const Choice choice = ask();
    service.backend = choice.backend;
    service.algorithm = choice.algorithm;
    service.reason = choice.reason;
  } catch (const Error& error) {
    service.reason = error.cause();
  }
  return service;
}

Choice choice_on_host(const Communicator& world) {
  std::array<float, 256> data{};
  return world.choose(all_reduce(data));
}

bool on_every_rank(bool here) {
  int yes = here ? 1 : 0;
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, &yes, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD),
            "MPI_Allreduce");
  return yes != 0;
}

// Where every rank could have NCCL by itself, only joining it tells whether they have it together.
Choice choice_on_device(const Communicator& world) {
  if (!on_every_rank(nccl_available() && world.device())) {
    if (world.device()) {
      Buffer<float> data(256, world.device());
      return world.choose(all_reduce(data));
    }
    // There is no such memory here; nobody looks at this one.
    std::array<float, 256> nowhere{};
    return world.choose(all_reduce(DeviceSpan<float>(nowhere.data(), nowhere.size())));
  }
  Options eager;
  eager.join = NcclJoin::eager;
  const Communicator joined(MPI_COMM_WORLD, eager);
  Buffer<float> data(256, joined.device());
  return joined.choose(all_reduce(data));
}

}  // namespace

Information gather_information(int argc, const char* const* argv) {
  const Communicator world(MPI_COMM_WORLD);
  Information information;
  information.environment = job_environment(MPI_COMM_WORLD, argc, argv);
  information.devices = gather_devices(world);
  information.services = {service_of("host", [&] { return choice_on_host(world); }),
                          service_of("device", [&] { return choice_on_device(world); })};
  information.options = options_in_effect(world.options());
  information.variables = variables_set();
  return information;
}

}  // namespace tutti::bench
