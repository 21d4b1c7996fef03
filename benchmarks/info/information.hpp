#pragma once

#include <tutti/communicator.hpp>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "common/job_environment.hpp"

namespace tutti::bench {

/// Who would serve a kind of memory.
struct Service {
  std::string memory;     ///< "host", "device"
  std::string backend;    ///< empty: nobody
  std::string algorithm;  ///< of a small all_reduce
  std::string reason;     ///< why this one, or why none
};

/// What tutti-info tells.
struct Information {
  JobEnvironment environment;
  std::vector<nlohmann::ordered_json> devices;  ///< of each rank: see gather_devices
  std::vector<Service> services;
  std::vector<std::pair<std::string, std::string>> options;    ///< in effect, by variable
  std::vector<std::pair<std::string, std::string>> variables;  ///< TUTTI_* that are set
};

/// Collective over MPI_COMM_WORLD; complete on every rank.
Information gather_information(int argc, const char* const* argv);

std::string to_text(const Information& information);
/// The part of it about devices and their libraries.
std::string devices_text(const std::vector<nlohmann::ordered_json>& ranks);
nlohmann::ordered_json to_json(const Information& information);

/// tutti-info between MPI_Init and MPI_Finalize; returns the status to exit with.
int info_main(int argc, char** argv);

}  // namespace tutti::bench
