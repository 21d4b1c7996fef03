#pragma once

#include <tutti/communicator.hpp>

#include <nlohmann/json.hpp>
#include <vector>

namespace tutti::bench {

/// What each rank has of devices and their libraries, in rank order, as JSON: it travels as text,
/// and is printed as it is with --json. Collective; complete on every rank.
std::vector<nlohmann::ordered_json> gather_devices(const Communicator& world);

}  // namespace tutti::bench
