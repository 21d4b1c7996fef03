#pragma once

#include <mpi.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tutti::bench {

/// Where and by what a job ran: what a record needs to be understood later.
struct JobEnvironment {
  std::string tutti_version;
  std::string mpi_built_with;
  std::string mpi_library;
  std::string mpi_standard;
  std::string thread_level;
  int ranks = 0;
  std::vector<std::string> hosts;   ///< one a node, in the order of their lowest ranks
  std::vector<int> ranks_per_node;  ///< likewise
  std::vector<int> cores_per_node;  ///< that the node's ranks may run on
  bool oversubscribed = false;      ///< a node has more ranks than cores
  std::string cpu_model;
  std::string date;
  std::string compiler;
  std::string command_line;
};

/// Collective; complete on every rank, times and processor as rank 0 sees them.
JobEnvironment job_environment(MPI_Comm comm, int argc, const char* const* argv);

nlohmann::ordered_json to_json(const JobEnvironment& environment);

/// Ranks of `comm` on this rank's node.
int ranks_on_this_node(MPI_Comm comm);

}  // namespace tutti::bench
